import NIOCore

@testable import PlayheadCassette

/// Links libFuzzer's expected entry point; the run itself goes through main.swift.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ data: UnsafePointer<UInt8>?, _ size: Int) -> CInt {
    checkCassette(UnsafeRawBufferPointer(start: data, count: size))
    return 0
}

/// Reads the input as a cassette; the first octet picks the format.
///
/// What is accepted reads the same by the quick reader as by the whole one, and can be written and read again.
func checkCassette(_ input: UnsafeRawBufferPointer) {
    guard let control = input.first, input.count <= 8_192 else { return }
    let octets = ByteBuffer(bytes: input.dropFirst())
    let formats = CassetteFormat.allCases
    let format = formats[Int(control) % formats.count]
    guard let cassette = try? CassetteReader.parse(octets, format: format, fileName: "f") else { return }
    if format == .yaml, let quick = YAMLParts(octets).cassette() {
        precondition((try? CassetteReader.parseYAML(octets, fileName: "f")) == quick, "the two readers of YAML differ")
    }
    for format in formats {
        let again = CassetteWriter.encode(cassette, format: format)
        precondition(
            (try? CassetteReader.parse(again, format: format, fileName: "f")) == cassette,
            "what was read cannot be written as \(format) and read again")
    }
}
