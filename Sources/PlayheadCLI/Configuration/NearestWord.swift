extension String {
    /// The number of single-letter edits between two words (Levenshtein), to guess what was meant.
    func distance(to other: String) -> Int {
        let left = Array(self.utf8)
        let right = Array(other.utf8)
        var row = Array(0...right.count)
        for (i, a) in left.enumerated() {
            var diagonal = row[0]
            row[0] = i + 1
            for (j, b) in right.enumerated() {
                let above = row[j + 1]
                row[j + 1] = Swift.min(above + 1, row[j] + 1, diagonal + (a == b ? 0 : 1))
                diagonal = above
            }
        }
        return row[right.count]
    }
}

extension Sequence where Element == String {
    /// The word that needs the fewest edits to become `written`.
    func nearest(to written: String) -> String? {
        self.min { $0.distance(to: written) < $1.distance(to: written) }
    }
}
