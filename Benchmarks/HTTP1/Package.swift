// swift-tools-version: 6.2
import PackageDescription

// Measures the HTTP/1 codec: `swift run -c release HTTP1Bench`.
let package = Package(
    name: "playhead-http1-bench",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "playhead", path: "../.."),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    ],
    targets: [
        .executableTarget(
            name: "HTTP1Bench",
            dependencies: [
                .product(name: "PlayheadHTTP", package: "playhead"),
                .product(name: "NIOCore", package: "swift-nio"),
            ],
            swiftSettings: [.swiftLanguageMode(.v6)])
    ]
)
