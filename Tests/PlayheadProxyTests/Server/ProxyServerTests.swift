import Testing

@testable import PlayheadProxy

@Suite struct ProxyServerTests {
    @Test(
        "The clients of the same machine keep half of the cores", arguments: [(1, 1), (2, 1), (3, 1), (4, 2), (16, 8)])
    func loopsAreHalfTheCores(cores: Int, loops: Int) {
        #expect(ProxyServer.Configuration.loopCount(cores: cores) == loops)
    }

    @Test func aGivenNumberOfLoopsIsTaken() {
        #expect(ProxyServer.Configuration(listen: [], loopCount: 5).loopCount == 5)
    }
}
