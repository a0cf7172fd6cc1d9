/// The fields of a head or trailer section while they are read, line by line.
struct FieldSection {
    /// The fields that decide about framing and routing, by place in `slots`.
    struct Landmarks {
        var host: Int?
        var contentLength: Int?
        var transferEncoding: Int?
        var hasRepeatedHost = false
        var hasRepeatedLength = false
        var hasRepeatedTransferEncoding = false
    }

    var slots: [HeaderList.Slot] = []
    var landmarks = Landmarks()

    /// Takes in one line, given without its CR LF; offsets are relative to `head`, the start of the message.
    mutating func take(_ head: UnsafeRawBufferPointer, from start: Int, to end: Int) -> HTTP1Error.Code? {
        var nameEnd = start
        while nameEnd < end, Octets.isToken(head[nameEnd]) { nameEnd += 1 }
        guard nameEnd < end, head[nameEnd] == Octets.colon, nameEnd > start else {
            return self.faultOfName(head, from: start, to: end, stop: nameEnd)
        }
        var valueStart = nameEnd + 1
        while valueStart < end, Self.isBlank(head[valueStart]) { valueStart += 1 }
        var valueEnd = end
        while valueEnd > valueStart, Self.isBlank(head[valueEnd - 1]) { valueEnd -= 1 }
        let value = UnsafeRawBufferPointer(rebasing: head[valueStart..<valueEnd])
        guard Octets.areFieldValue(value) else {
            return value.contains(Octets.carriageReturn) ? .bareCarriageReturn : .controlOctet
        }
        self.note(UnsafeRawBufferPointer(rebasing: head[start..<nameEnd]))
        if self.slots.isEmpty { self.slots.reserveCapacity(16) }
        self.slots.append(
            HeaderList.Slot(
                nameStart: UInt32(truncatingIfNeeded: start), nameLength: UInt32(truncatingIfNeeded: nameEnd - start),
                valueStart: UInt32(truncatingIfNeeded: valueStart),
                valueLength: UInt32(truncatingIfNeeded: valueEnd - valueStart)))
        return nil
    }

    @inline(__always)
    private mutating func note(_ name: UnsafeRawBufferPointer) {
        switch name.count {
        case 4 where equalsIgnoringCase(name, "host"):
            if self.landmarks.host != nil { self.landmarks.hasRepeatedHost = true }
            self.landmarks.host = self.landmarks.host ?? self.slots.count
        case 14 where equalsIgnoringCase(name, "content-length"):
            if self.landmarks.contentLength != nil { self.landmarks.hasRepeatedLength = true }
            self.landmarks.contentLength = self.landmarks.contentLength ?? self.slots.count
        case 17 where equalsIgnoringCase(name, "transfer-encoding"):
            if self.landmarks.transferEncoding != nil { self.landmarks.hasRepeatedTransferEncoding = true }
            self.landmarks.transferEncoding = self.landmarks.transferEncoding ?? self.slots.count
        default:
            break
        }
    }

    private func faultOfName(
        _ head: UnsafeRawBufferPointer, from start: Int, to end: Int, stop: Int
    ) -> HTTP1Error.Code {
        if Self.isBlank(head[start]) { return self.slots.isEmpty ? .indentedFirstField : .foldedField }
        if stop == end { return .missingColon }
        switch head[stop] {
        case Octets.colon: return .emptyFieldName
        case Octets.space, Octets.tab:
            var next = stop
            while next < end, Self.isBlank(head[next]) { next += 1 }
            return next < end && head[next] == Octets.colon ? .spaceBeforeColon : .badFieldName
        case Octets.carriageReturn: return .bareCarriageReturn
        default: return .badFieldName
        }
    }

    @inline(__always)
    private static func isBlank(_ octet: UInt8) -> Bool { octet == Octets.space || octet == Octets.tab }
}
