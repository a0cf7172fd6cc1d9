import PlayheadCassette
import PlayheadEngine

extension CassetteSession {
    /// Tells those who look on; costs nothing when nobody can.
    ///
    /// - Parameter subject: what happened; only made when there is a log.
    func observe(_ subject: @autoclosure () -> ExchangeEvent.Subject) {
        guard let log = self.options.log, let source = self.source else { return }
        log.note(ExchangeEvent(source: source, subject: subject()), at: self.clock())
    }
}
