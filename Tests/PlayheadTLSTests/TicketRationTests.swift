import Testing

@testable import PlayheadTLS

@Suite struct TicketRationTests {
    @Test func clientsThatNeverComeBackGetFewTickets() {
        let ration = TicketRation()
        let first = (0..<TicketRation.trial).filter { _ in ration.grants() }
        #expect(first.count == TicketRation.trial)
        let later = (0..<800).filter { _ in ration.grants() }
        #expect(later.count == 800 / TicketRation.share)
    }

    @Test func aResumedSessionBringsTheTicketsBack() {
        let ration = TicketRation()
        for _ in 0..<1001 { _ = ration.grants() }
        #expect(!ration.grants())
        ration.noteResumption()
        let next = (0..<TicketRation.trial).filter { _ in ration.grants() }
        #expect(next.count == TicketRation.trial)
        let later = (0..<80).filter { _ in ration.grants() }
        #expect(later.count == 80 / TicketRation.share)
    }
}
