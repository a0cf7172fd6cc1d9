// swift-tools-version: 6.2
import PackageDescription

let playhead = "playhead"

/// A program that runs one function on what libFuzzer thinks of.
func fuzzer(_ name: String, _ libraries: [String], _ more: [Target.Dependency] = []) -> Target {
    .executableTarget(
        name: name,
        dependencies: ["CFuzzer", .product(name: "NIOCore", package: "swift-nio")]
            + libraries.map { .product(name: $0, package: playhead) } + more,
        swiftSettings: [.swiftLanguageMode(.v6), .unsafeFlags(["-sanitize=fuzzer,address"])],
        linkerSettings: [.unsafeFlags(["-sanitize=fuzzer,address"])])
}

// A package of its own, since unsafe flags bar a package from being a dependency. See README.md for how to run it.
let package = Package(
    name: "playhead-fuzz",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: playhead, path: "../.."),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    ],
    targets: [
        .target(name: "CFuzzer"),
        fuzzer("HTTP1Fuzz", ["PlayheadHTTP"]),
        fuzzer("CassetteFuzz", ["PlayheadEngine"]),
        fuzzer("RedactionFuzz", ["PlayheadEngine"]),
        fuzzer("TLSFuzz", ["PlayheadTLS"], [.product(name: "NIOEmbedded", package: "swift-nio")]),
    ]
)
