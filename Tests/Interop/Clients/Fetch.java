import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.net.URL;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.security.MessageDigest;
import java.util.HexFormat;

/** Single-file client: nothing in it knows of a proxy or a CA; JAVA_TOOL_OPTIONS must be enough. */
public class Fetch {
    public static void main(String[] arguments) throws Exception {
        String base = arguments[0];
        HttpClient client = HttpClient.newBuilder().followRedirects(HttpClient.Redirect.NORMAL).build();
        show(client, HttpRequest.newBuilder(URI.create(base + "/bytes/50?access_token=query-secret-1234"))
            .header("Authorization", "Bearer bearer-secret-4711").build());
        show(client, HttpRequest.newBuilder(URI.create(base + "/upload")).header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString("{\"password\": \"json-secret-9876\"}")).build());
        show(client, HttpRequest.newBuilder(URI.create(base + "/chunks?sizes=1,20,3000")).build());
        show(client, HttpRequest.newBuilder(URI.create(base + "/redirect/1")).build());
        HttpURLConnection old = (HttpURLConnection) new URL(base + "/bytes/300000?seed=java").openConnection();
        try (InputStream stream = old.getInputStream()) {
            print(old.getResponseCode(), stream.readAllBytes());
        }
    }

    private static void show(HttpClient client, HttpRequest request) throws Exception {
        HttpResponse<byte[]> answer = client.send(request, HttpResponse.BodyHandlers.ofByteArray());
        print(answer.statusCode(), answer.body());
    }

    private static void print(int status, byte[] body) throws Exception {
        byte[] digest = MessageDigest.getInstance("SHA-256").digest(body);
        System.out.println(status + " " + body.length + " " + HexFormat.of().formatHex(digest));
    }
}
