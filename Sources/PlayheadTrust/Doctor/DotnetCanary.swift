/// A .NET program that prints what a URL answers, as an assembly that every runtime from .NET 5 on runs.
///
/// A runtime without an SDK has no compiler, so the few octets of the assembly are put together here. It is what a
/// compiler makes of `class Canary { static void Main(string[] a) =>
/// Console.WriteLine(new HttpClient().GetStringAsync(a[0]).Result); }`; the numbers are those of ECMA-335, partition II.
enum DotnetCanary {
    /// Where the one section begins in memory.
    private static let base: UInt32 = 0x2000
    /// The length of the CLI header, with which the section begins.
    private static let headerLength: UInt32 = 72
    private static let fileAlignment = 0x200

    /// Which runtime may run it: any.
    static let configuration = """
        {"runtimeOptions": {
          "framework": {"name": "Microsoft.NETCore.App", "version": "5.0.0"},
          "rollForward": "LatestMajor",
          "configProperties": {"System.Globalization.Invariant": true}
        }}

        """

    /// The octets of the assembly.
    static var assembly: [UInt8] {
        let code = self.code
        let metadata = self.metadata
        var section = DotnetOctets()
        section.add32([self.headerLength, 5 << 16 | 2, self.base + self.headerLength + UInt32(code.count)])
        // ILONLY; the entry point is the first method.
        section.add32([UInt32(metadata.count), 1, 0x0600_0001])
        section.octets += [UInt8](repeating: 0, count: 48) + code + metadata
        let size = UInt32(section.octets.count)
        let content = section.padded(to: self.fileAlignment)
        return self.fileHeaders(size: size, stored: UInt32(content.count)) + content
    }

    /// A PE file for any processor with one section, `.text`, and one directory, the CLI header.
    private static func fileHeaders(size: UInt32, stored: UInt32) -> [UInt8] {
        var file = DotnetOctets()
        file.octets += Array("MZ".utf8) + [UInt8](repeating: 0, count: 58)
        file.add32([0x80])
        file.octets += [UInt8](repeating: 0, count: 64) + Array("PE\0\0".utf8)
        file.add16([0x14C, 1])
        file.add32([0, 0, 0])
        file.add16([0xE0, 0x22, 0x10B, 8])
        file.add32([stored, 0, 0, 0, self.base, 0x4000, 0x40_0000, 0x2000, UInt32(self.fileAlignment)])
        file.add16([4, 0, 0, 0, 4, 0])
        file.add32([0, 0x4000, UInt32(self.fileAlignment), 0])
        file.add16([3, 0x8540])
        file.add32([0x10_0000, 0x1000, 0x10_0000, 0x1000, 0, 16])
        for directory in 0..<16 { file.add32(directory == 14 ? [self.base, self.headerLength] : [0, 0]) }
        file.octets += Array(".text\0\0\0".utf8)
        file.add32([size, self.base, stored, UInt32(self.fileAlignment), 0, 0, 0, 0x6000_0020])
        return file.padded(to: self.fileAlignment)
    }

    /// `Main`: newobj, ldarg.0, ldc.i4.0, ldelem.ref, callvirt, callvirt, call, ret.
    private static var code: [UInt8] {
        let newClient: [UInt8] = [0x73, 1, 0, 0, 0x0A]
        let firstArgument: [UInt8] = [0x02, 0x16, 0x9A]
        let getString: [UInt8] = [0x6F, 2, 0, 0, 0x0A]
        let result: [UInt8] = [0x6F, 3, 0, 0, 0x0A]
        let writeLine: [UInt8] = [0x28, 4, 0, 0, 0x0A]
        let body = newClient + firstArgument + getString + result + writeLine + [0x2A]
        var method = DotnetOctets()
        // The tiny form of a header: the length above two bits.
        method.octets = [UInt8(body.count) << 2 | 2] + body
        return method.padded(to: 4)
    }

    /// The tables of names and types, and the heaps that they point into.
    private static var metadata: [UInt8] {
        var heaps = DotnetHeaps()
        let tables = self.tables(&heaps)
        let streams: [(String, [UInt8])] = [
            ("#~", tables), ("#Strings", heaps.strings.padded(to: 4)), ("#GUID", Array(1...16)),
            ("#Blob", heaps.blobs.padded(to: 4)),
        ]
        let names = streams.map { DotnetOctets(octets: Array($0.0.utf8) + [0]).padded(to: 4) }
        var root = DotnetOctets(octets: Array("BSJB".utf8))
        root.add16([1, 1])
        root.add32([0, 12])
        root.octets += Array("v4.0.30319\0\0".utf8)
        root.add16([0, UInt16(streams.count)])
        var offset = UInt32(root.octets.count + names.reduce(0) { $0 + 8 + $1.count })
        for (stream, name) in zip(streams, names) {
            root.add32([offset, UInt32(stream.1.count)])
            root.octets += name
            offset += UInt32(stream.1.count)
        }
        return root.octets + streams.flatMap(\.1)
    }

    private static func tables(_ heaps: inout DotnetHeaps) -> [UInt8] {
        // References to types: 1 Object, 2 Task`1, 3 HttpClient, 4 Console.
        let types: [(assembly: UInt16, name: String, space: String)] = [
            (1, "Object", "System"), (1, "Task`1", "System.Threading.Tasks"), (2, "HttpClient", "System.Net.Http"),
            (3, "Console", "System"),
        ]
        let task: [UInt8] = [0x15, 0x12, 2 << 2 | 1, 1, 0x0E]
        let taskOfString = heaps.blob(task)
        let module: [UInt16] = [0, heaps.string("canary.dll"), 1, 0, 0]
        let references = types.flatMap { type -> [UInt16] in
            [type.assembly << 2 | 2, heaps.string(type.name), heaps.string(type.space)]
        }
        let definitions: [UInt16] =
            [0, 0, heaps.string("<Module>"), 0, 0, 1, 1] + [0x180, 0x10, heaps.string("Canary"), 0, 1 << 2 | 1, 1, 1]
        let main: [UInt16] = [
            UInt16(self.base + self.headerLength), 0, 0, 0x96, heaps.string("Main"),
            heaps.blob([0, 1, 1, 0x1D, 0x0E]), 1,
        ]
        let members: [UInt16] = [
            3 << 3 | 1, heaps.string(".ctor"), heaps.blob([0x20, 0, 1]),
            3 << 3 | 1, heaps.string("GetStringAsync"), heaps.blob([0x20, 1] + task + [0x0E]),
            1 << 3 | 4, heaps.string("get_Result"), heaps.blob([0x20, 0, 0x13, 0]),
            4 << 3 | 1, heaps.string("WriteLine"), heaps.blob([0, 1, 1, 0x0E]),
        ]
        let assembly: [UInt16] = [0x8004, 0, 1, 0, 0, 0, 0, 0, 0, heaps.string("canary"), 0]
        // The key with which the libraries of .NET are signed.
        let key = heaps.blob([0xB0, 0x3F, 0x5F, 0x7F, 0x11, 0xD5, 0x0A, 0x3A])
        let assemblies = ["System.Runtime", "System.Net.Http", "System.Console"].flatMap { name -> [UInt16] in
            [5, 0, 0, 0, 0, 0, key, heaps.string(name), 0, 0]
        }
        let rows: [(table: UInt64, count: UInt32, cells: [UInt16])] = [
            (0x00, 1, module), (0x01, 4, references), (0x02, 2, definitions), (0x06, 1, main), (0x0A, 4, members),
            (0x1B, 1, [taskOfString]), (0x20, 1, assembly), (0x23, 3, assemblies),
        ]
        let present = rows.reduce(UInt64(0)) { $0 | 1 << $1.table }
        var stream = DotnetOctets()
        stream.add32([0])
        stream.octets += [2, 0, 0, 1]
        stream.add32([UInt32(truncatingIfNeeded: present), UInt32(present >> 32), 0, 0])
        stream.add32(rows.map(\.count))
        for row in rows { stream.add16(row.cells) }
        return stream.padded(to: 4)
    }
}

/// The two heaps of metadata that hold something: names, and signatures.
private struct DotnetHeaps {
    var strings = DotnetOctets(octets: [0])
    var blobs = DotnetOctets(octets: [0])

    mutating func string(_ text: String) -> UInt16 {
        defer { self.strings.octets += Array(text.utf8) + [0] }
        return UInt16(self.strings.octets.count)
    }

    mutating func blob(_ octets: [UInt8]) -> UInt16 {
        defer { self.blobs.octets += [UInt8(octets.count)] + octets }
        return UInt16(self.blobs.octets.count)
    }
}

/// Octets that numbers are added to, the low octet first.
private struct DotnetOctets {
    var octets: [UInt8] = []

    mutating func add16(_ values: [UInt16]) {
        for value in values { self.octets += [UInt8(truncatingIfNeeded: value), UInt8(value >> 8)] }
    }

    mutating func add32(_ values: [UInt32]) {
        for value in values { self.add16([UInt16(truncatingIfNeeded: value), UInt16(value >> 16)]) }
    }

    func padded(to multiple: Int) -> [UInt8] {
        self.octets + [UInt8](repeating: 0, count: (multiple - self.octets.count % multiple) % multiple)
    }
}
