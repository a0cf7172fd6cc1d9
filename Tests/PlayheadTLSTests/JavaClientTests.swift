import Foundation
import PlayheadCA
import PlayheadTLS
import Testing

/// A real JDK against our server, trusting only what ``JavaTrustStore`` packed.
///
/// Runs where a JDK is installed.
@Suite(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/javac")))
struct JavaClientTests {
    private static let program = """
        import java.io.*;
        import javax.net.ssl.*;
        public class Client {
            public static void main(String[] args) throws Exception {
                SSLSocket socket = (SSLSocket) SSLSocketFactory.getDefault()
                    .createSocket("127.0.0.1", Integer.parseInt(args[0]));
                SSLParameters parameters = socket.getSSLParameters();
                parameters.setEndpointIdentificationAlgorithm("HTTPS");
                socket.setSSLParameters(parameters);
                socket.getOutputStream().write("?\\n".getBytes());
                System.out.println(new BufferedReader(new InputStreamReader(socket.getInputStream())).readLine());
            }
        }
        """

    @Test(arguments: [true, false]) func trustsTheStoreAndNothingElse(_ holdsOurCA: Bool) async throws {
        let folder = try TemporaryFolder()
        let other = try CertificateAuthority.ephemeral(userAtHost: "other@host", now: TestAuthority.seconds)
        var texts = [holdsOurCA ? TestAuthority.shared.certificatePEM : other.certificatePEM]
        let bundle = "/etc/ssl/certs/ca-certificates.crt"
        if let roots = try? String(contentsOfFile: bundle, encoding: .utf8) { texts.append(roots) }
        let store = try JavaTrustStore.pkcs12(certificatesPEM: texts, password: "changeit")
        let file = folder.path + "/trust.p12"
        try Data(store).write(to: URL(fileURLWithPath: file))
        let source = try folder.write(JavaClientTests.program, to: "Client.java")

        let server = try await LoopbackServer.start(TestAuthority.serverContext(), fallbackName: "127.0.0.1")
        let outcome = try await Tool.run(
            "java",
            [
                "-Djavax.net.ssl.trustStore=" + file, "-Djavax.net.ssl.trustStorePassword=changeit", source,
                String(server.port),
            ])
        try await server.stop()
        if holdsOurCA {
            #expect(outcome.output.contains("version=TLSv1.3"), "\(outcome.output)")
        } else {
            #expect(outcome.output.contains("unable to find valid certification path"), "\(outcome.output)")
        }
    }
}
