import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Prints what each URL of the arguments answers, by the shared `URLSession`.
@main
struct Fetch {
    static func main() async {
        for argument in CommandLine.arguments.dropFirst() {
            guard let url = URL(string: argument) else { exit(2) }
            do {
                let (data, response) = try await URLSession.shared.data(from: url)
                print((response as? HTTPURLResponse)?.statusCode ?? 0, String(decoding: data, as: UTF8.self))
            } catch {
                FileHandle.standardError.write(Data("\(error)\n".utf8))
                exit(1)
            }
        }
    }
}
