import Testing

@testable import PlayheadAdmin

@Suite struct PrometheusTextTests {
    @Test func describesAMetricOnceAndEscapesLabels() {
        var text = PrometheusText()
        text.add("a_total", .counter, "Things.", [("name", "x\"\\\ny")], 1)
        text.add("a_total", .counter, "Things.", [("name", "z")], 2)
        text.add("b", .gauge, "Level.", [], -3)
        #expect(
            text.text == """
                # HELP a_total Things.
                # TYPE a_total counter
                a_total{name="x\\"\\\\\\ny"} 1
                a_total{name="z"} 2
                # HELP b Level.
                # TYPE b gauge
                b -3

                """)
    }
}
