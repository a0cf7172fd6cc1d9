extension MissReport {
    /// The body of the response to a miss: `application/problem+json` (RFC 9457).
    ///
    /// - Parameter status: the status the response is sent with.
    public func problemJSON(status: Int = 501) -> [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("type", "about:blank")
            writer.member("title", "No recording answers this request")
            writer.member("status", status)
            writer.member("detail", self.text())
            self.writeMembers(to: &writer)
        }
        return writer.octets
    }

    /// Writes the members that the response and the reports share.
    func writeMembers(to writer: inout JSONWriter) {
        if !self.id.isEmpty { writer.member("id", self.id) }
        writer.member("reason", self.reason.rawValue)
        writer.member("cause", self.cause)
        writer.member("cassette", self.cassette)
        writer.member("mode", self.mode.rawValue)
        writer.member("request") { writer in
            writer.object { writer in
                writer.member("method", self.method)
                writer.member("url", self.url)
            }
        }
        writer.member("nearest") { writer in
            writer.array { writer in
                for candidate in self.nearest { candidate.write(to: &writer) }
            }
        }
        writer.member("suggested_rule", self.suggestedRule)
        writer.member("record_command", self.recordCommand)
    }
}

extension MissReport.Candidate {
    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("exchange", self.exchange)
            writer.member("number", self.number)
            writer.member("method", self.method)
            writer.member("url", self.url)
            writer.member("already_played_at", self.alreadyPlayedAt)
            writer.member("differences") { writer in
                writer.array { writer in
                    for difference in self.differences {
                        writer.object { writer in
                            writer.member("part", difference.name)
                            writer.member("recorded", difference.recorded)
                            writer.member("requested", difference.requested)
                        }
                    }
                }
            }
        }
    }
}
