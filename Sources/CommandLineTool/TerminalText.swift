/// Untrusted text for a terminal: escape sequences and direction changes are shown, not obeyed.
package enum TerminalText {
    package static func safe(_ text: String) -> String {
        var shown = ""
        for scalar in text.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .unassigned, .privateUse:
                // Harmless and wanted in an emoji.
                if scalar == "\u{200D}" {
                    shown.unicodeScalars.append(scalar)
                } else {
                    shown += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
                }
            default: shown.unicodeScalars.append(scalar)
            }
        }
        return shown
    }
}
