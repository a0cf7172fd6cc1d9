// swift-tools-version: 6.2
import PackageDescription

// A package of its own, since unsafe flags bar a package from being a dependency. See README.md for how to run it.
let package = Package(
    name: "playhead-fuzz",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "playhead", path: "../.."),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    ],
    targets: [
        .target(name: "CFuzzer"),
        .executableTarget(
            name: "HTTP1Fuzz",
            dependencies: [
                "CFuzzer",
                .product(name: "PlayheadHTTP", package: "playhead"),
                .product(name: "NIOCore", package: "swift-nio"),
            ],
            swiftSettings: [.swiftLanguageMode(.v6), .unsafeFlags(["-sanitize=fuzzer,address"])],
            linkerSettings: [.unsafeFlags(["-sanitize=fuzzer,address"])]),
    ]
)
