/// Searches a form pair by pair.
struct FormStage: StreamStage {
    private let form: PairRedaction
    private let bounds: StreamBounds
    /// A value that does not fit into the window.
    private var long: EscapedValue?

    init(_ form: PairRedaction, bounds: StreamBounds) {
        self.form = form
        self.bounds = bounds
    }

    mutating func settle(_ pending: Octets, isLast: Bool, _ substitution: inout SecretSubstitution) -> Settled {
        if var value = self.long {
            var settled = value.settle(pending, isLast: isLast, &substitution)
            self.long = value.isOver ? nil : value
            // The `&` after it.
            if value.isOver, settled.count < pending.count { settled.count += 1 }
            return settled
        }
        if !isLast, pending.last != UInt8(ascii: "&") {
            guard let last = pending.lastIndex(of: UInt8(ascii: "&")) else { return self.begin(pending, &substitution) }
            return self.pairs(Octets(pending[...last]), &substitution)
        }
        return self.pairs(pending, &substitution)
    }

    private func pairs(_ octets: Octets, _ substitution: inout SecretSubstitution) -> Settled {
        Settled(count: octets.count, edits: self.form.edits(in: octets, &substitution))
    }

    /// A pair that is longer than the window; its name is known.
    private mutating func begin(_ pending: Octets, _ substitution: inout SecretSubstitution) -> Settled {
        guard pending.count >= self.bounds.window, let equals = pending.firstIndex(of: UInt8(ascii: "=")) else {
            return .nothing
        }
        let value = pending[(equals + 1)...].prefix(self.bounds.window)
        if let finding = self.form.names.formField(PercentText.decoded(pending[..<equals])) {
            self.long = EscapedValue(.form, nil)
            let mark = substitution.text(for: value, rule: finding.rule)
            return Settled(
                count: equals + 1,
                edits: [TextEdit(range: equals..<equals + 1, replacement: [UInt8(ascii: "=")] + mark)])
        }
        self.long = EscapedValue(.form, TextStage(self.form.text, bounds: self.bounds))
        return Settled(count: equals + 1)
    }
}
