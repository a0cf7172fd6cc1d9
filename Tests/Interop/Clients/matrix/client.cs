// The requests of the client matrix with .NET's HttpClient. No `+` of strings: Mono's compiler cannot, with .NET 8's.
using System;
using System.Net.Http;
using System.Security.Cryptography;

static class Program
{
    static void Show(HttpResponseMessage answer)
    {
        var body = answer.Content.ReadAsByteArrayAsync().Result;
        var digest = BitConverter.ToString(SHA256.Create().ComputeHash(body));
        Console.WriteLine(String.Format("{0} {1} {2}", (int)answer.StatusCode, body.Length, digest));
    }

    static void Main(string[] arguments)
    {
        var client = new HttpClient();
        client.BaseAddress = new Uri(arguments[0]);
        Show(client.GetAsync("/json?client=dotnet").Result);
        Show(client.PostAsync("/echo", new StringContent("hello from .NET")).Result);
        Show(client.GetAsync("/redirect/1").Result);
        Show(client.GetAsync("/chunks?sizes=1,20,3000").Result);
        Show(client.GetAsync("/bytes/300000?seed=dotnet").Result);
    }
}
