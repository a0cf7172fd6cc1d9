// swift-tools-version: 6.2
import PackageDescription

/// The strict settings of every Swift target; warnings are errors, so nobody can forget the flag.
let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .treatAllWarnings(as: .error),
]

let nioCore: Target.Dependency = .product(name: "NIOCore", package: "swift-nio")
let nioPosix: Target.Dependency = .product(name: "NIOPosix", package: "swift-nio")
let nioEmbedded: Target.Dependency = .product(name: "NIOEmbedded", package: "swift-nio")
let nioTLS: Target.Dependency = .product(name: "NIOTLS", package: "swift-nio")
let nioHTTP2: Target.Dependency = .product(name: "NIOHTTP2", package: "swift-nio-http2")
let nioHPACK: Target.Dependency = .product(name: "NIOHPACK", package: "swift-nio-http2")
let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")

func library(_ name: String, _ dependencies: [Target.Dependency], path: String? = nil) -> Target {
    .target(name: name, dependencies: dependencies, path: path, swiftSettings: strict)
}

func tests(_ name: String, _ dependencies: [Target.Dependency], path: String? = nil) -> Target {
    .testTarget(name: name, dependencies: dependencies, path: path, swiftSettings: strict)
}

let package = Package(
    name: "playhead",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "playhead", targets: ["playhead"]),
        // For the packages under Benchmarks.
        .library(name: "PlayheadHTTP", targets: ["PlayheadHTTP"]),
        .library(name: "PlayheadTLS", targets: ["PlayheadTLS"]),
        .library(name: "PlayheadEngine", targets: ["PlayheadEngine", "PlayheadCassette", "PlayheadHTTP"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-http2", from: "1.46.0"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    ],
    targets: [
        .systemLibrary(
            name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]),
        .systemLibrary(
            name: "CYAML", pkgConfig: "yaml-0.1", providers: [.apt(["libyaml-dev"]), .brew(["libyaml"])]),
        .systemLibrary(name: "CSystemCalls"),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
        .systemLibrary(
            name: "CBrotli", pkgConfig: "libbrotlienc", providers: [.apt(["libbrotli-dev"]), .brew(["brotli"])]),
        .systemLibrary(name: "CZstd", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"]), .brew(["zstd"])]),

        // C, since nothing of Swift may run between fork and exec.
        .target(name: "CIsolation"),
        // C, since Swift reads the arguments from /proc, which a chroot or a strict container may lack.
        .target(name: "CArguments"),

        library("PlayheadTLS", ["COpenSSL", nioCore, nioTLS]),
        library("PlayheadCA", ["COpenSSL", "PlayheadTLS"]),
        library("PlayheadHTTP", [nioCore]),
        library("PlayheadContent", ["CZlib", "CBrotli", "CZstd", nioCore]),
        library("PlayheadCassette", ["CSystemCalls", "CYAML", "COpenSSL", "PlayheadHTTP", "PlayheadContent", nioCore]),
        library("PlayheadEngine", ["PlayheadCassette", "PlayheadHTTP", "PlayheadContent", nioCore]),
        library(
            "PlayheadProxy",
            [
                "PlayheadTLS", "PlayheadCA", "PlayheadHTTP", "PlayheadContent", "PlayheadCassette", "PlayheadEngine",
                nioCore, nioPosix, nioTLS, nioHTTP2, nioHPACK, logging,
            ]),
        library(
            "PlayheadAdmin",
            [
                "PlayheadProxy", "PlayheadEngine", "PlayheadCassette", "PlayheadContent", "PlayheadHTTP", nioCore,
                nioPosix, logging,
            ]),
        library("PlayheadTrust", ["CIsolation"]),
        library(
            "PlayheadCLI",
            [
                "CYAML", "PlayheadAdmin", "PlayheadProxy", "PlayheadTrust", "PlayheadCA", "PlayheadCassette",
                "PlayheadEngine",
                "PlayheadTLS", "PlayheadHTTP", "PlayheadContent", nioCore, nioPosix, logging,
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]),
        .executableTarget(
            name: "playhead",
            dependencies: [
                "PlayheadCLI", "CArguments", .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: strict),

        tests(
            "PlayheadTLSTests", ["PlayheadTLS", "PlayheadCA", "PlayheadTrust", nioCore, nioEmbedded, nioPosix, nioTLS]),
        tests("PlayheadCATests", ["PlayheadCA", "PlayheadTLS", "PlayheadTrust"]),
        tests(
            "PlayheadHTTPTests",
            [
                "PlayheadHTTP", "PlayheadTestSupport", nioCore, nioEmbedded,
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOWebSocket", package: "swift-nio"),
            ]),
        tests("PlayheadContentTests", ["PlayheadContent", nioCore]),
        // Lets system calls on files fail; linked into the tests alone.
        .target(name: "CFaults", path: "Tests/Faults"),
        library("PlayheadTestSupport", [], path: "Tests/Support"),
        tests(
            "PlayheadCassetteTests",
            ["PlayheadCassette", "PlayheadHTTP", "PlayheadContent", "PlayheadTestSupport", "CFaults", nioCore]),
        tests(
            "PlayheadEngineTests",
            [
                "PlayheadEngine", "PlayheadCassette", "PlayheadHTTP", "PlayheadContent", "PlayheadTestSupport", nioCore,
            ]),
        tests(
            "PlayheadProxyTests",
            [
                "PlayheadProxy", "PlayheadTLS", "PlayheadCA", "PlayheadHTTP", "PlayheadCassette", "PlayheadEngine",
                "PlayheadTestSupport", "CFaults", nioCore, nioPosix, nioEmbedded, nioHTTP2, nioHPACK, logging,
            ]),
        tests(
            "PlayheadAdminTests",
            [
                "PlayheadAdmin", "PlayheadProxy", "PlayheadCA", "PlayheadCassette", "PlayheadEngine", "PlayheadContent",
                "PlayheadHTTP", nioCore, logging,
            ]),
        tests("PlayheadTrustTests", ["PlayheadTrust", "CIsolation"]),
        tests(
            "PlayheadCLITests",
            [
                "PlayheadCLI", "PlayheadAdmin", "PlayheadCassette", "PlayheadEngine", "PlayheadProxy", "PlayheadHTTP",
                "PlayheadTrust", "PlayheadCA", nioCore,
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]),
        .testTarget(
            name: "InteropTests", path: "Tests/Interop", exclude: ["Origin", "Clients"], swiftSettings: strict),
    ]
)
