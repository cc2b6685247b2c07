import Platform

/// Prometheus text, appended to one array without a String for each line.
///
/// - Source: Prometheus, "Exposition formats", text format 0.0.4.
package enum MetricsText {
    package static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    package static func series(
        _ text: inout [UInt8],
        _ name: StaticString,
        _ type: StaticString,
        _ help: StaticString,
        _ lines: (inout [UInt8]) -> Void
    ) {
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(type)\n".utf8
        lines(&text)
    }

    package static func single(
        _ text: inout [UInt8],
        _ name: StaticString,
        _ type: StaticString,
        _ help: StaticString,
        _ value: UInt64
    ) {
        series(&text, name, type, help) { line(&$0, name, [], value) }
    }

    package static func build(_ text: inout [UInt8], _ name: StaticString) {
        series(&text, name, "gauge", "Version of the program.") { text in
            line(&text, name, [("version", ReleaseVersion.text)], 1)
        }
    }

    package static func seconds(
        _ text: inout [UInt8],
        _ name: StaticString,
        _ type: StaticString,
        _ help: StaticString,
        microseconds: UInt64
    ) {
        series(&text, name, type, help) { line(&$0, name, seconds: microseconds) }
    }

    package static func histogram(
        _ text: inout [UInt8],
        _ name: StaticString,
        _ help: StaticString,
        _ histogram: Histogram
    ) {
        series(&text, name, "histogram", help) { text in
            var sum: UInt64 = 0
            for (bound, count) in zip(Histogram.boundTexts, histogram.counts) {
                sum &+= count
                line(&text, name, suffix: "_bucket", [("le", bound)], sum)
            }
            line(&text, name, suffix: "_bucket", [("le", "+Inf")], histogram.count)
            line(&text, name, suffix: "_sum", seconds: histogram.sumMicroseconds)
            line(&text, name, suffix: "_count", [], histogram.count)
        }
    }

    package static func line(
        _ text: inout [UInt8],
        _ name: StaticString,
        suffix: StaticString = "",
        _ labels: [(StaticString, String)],
        _ value: UInt64
    ) {
        append(name, to: &text)
        append(suffix, to: &text)
        for (index, label) in labels.enumerated() {
            text.append(UInt8(ascii: index == 0 ? "{" : ","))
            append(label.0, to: &text)
            text += "=\"".utf8
            // Drops characters that need escapes; no label has them.
            text += label.1.utf8.filter { $0 >= 0x20 && $0 != 0x22 && $0 != 0x5C && $0 < 0x7F }
            text.append(UInt8(ascii: "\""))
        }
        if !labels.isEmpty { text.append(UInt8(ascii: "}")) }
        text.append(UInt8(ascii: " "))
        append(value, to: &text)
        text.append(UInt8(ascii: "\n"))
    }

    private static func line(
        _ text: inout [UInt8],
        _ name: StaticString,
        suffix: StaticString = "",
        seconds microseconds: UInt64
    ) {
        append(name, to: &text)
        append(suffix, to: &text)
        text.append(UInt8(ascii: " "))
        append(microseconds / 1_000_000, to: &text)
        text.append(UInt8(ascii: "."))
        var divisor: UInt64 = 100_000
        while divisor > 0 {
            text.append(UInt8(ascii: "0") + UInt8(microseconds / divisor % 10))
            divisor /= 10
        }
        text.append(UInt8(ascii: "\n"))
    }

    private static func append(_ word: StaticString, to text: inout [UInt8]) { text += word.description.utf8 }

    private static func append(_ number: UInt64, to text: inout [UInt8]) {
        let start = text.count
        var rest = number
        repeat {
            text.append(UInt8(ascii: "0") + UInt8(rest % 10))
            rest /= 10
        } while rest > 0
        text[start...].reverse()
    }
}
