/// Picture of the lock screen, for a failing test's report: on the left the placeholder as visible in transit, on the
/// right the extension's result.
///
///     let picture = LockScreenPicture(of: shown, appName: "Acme Chat")
///     try Data(picture.svg.utf8).write(to: url)
///
/// Attachments are read now; the device deletes them. Previews are drawn as with "Show Previews: Always".
public struct LockScreenPicture: Sendable, Equatable {
    /// Picture as an SVG 1.1 document in UTF-8. All text is escaped, and nothing outside the document is referred
    /// to.
    public let svg: String

    private static let panelWidth = 393
    private static let margin = 24
    private static let phoneTop = 56
    /// Room for date and clock.
    private static let cardTop = 190
    private static let noteLineCountMax = 3
    /// Room below the notification.
    private static let phoneFoot = 64

    /// Draws a picture.
    ///
    /// - Parameters:
    ///   - shown: delivered notification.
    ///   - appName: as on the home screen.
    ///   - language: of the date; the clock is in UTC.
    public init(of shown: ShownNotification, appName: String, language: String = "en") {
        let clock = LockScreenClock(shown.date, language: language)
        let card = { NotificationCard($0, appName: appName, time: clock.time) }
        let panels = [
            Panel(heading: "On the way", card: card(shown.original), note: "the payload's own text"),
            Panel(
                heading: "On the lock screen",
                card: shown.presentation.isOnLockScreen ? card(shown.content) : nil,
                note: shown.explanation
            ),
        ]
        svg = Self.document(panels, clock)
    }

    private struct Panel {
        let heading: String
        /// Notification; `nil` if nothing is shown.
        let card: NotificationCard?
        let note: String
    }

    private static func document(_ panels: [Panel], _ clock: LockScreenClock) -> String {
        let cardHeight = panels.compactMap { $0.card?.height }.max() ?? 0
        let phoneHeight = cardTop + cardHeight + phoneFoot
        let width = margin + panels.count * (panelWidth + margin)
        let height = phoneTop + phoneHeight + 18 * noteLineCountMax + margin
        let root = SVGElement(
            "svg",
            [
                "xmlns": "http://www.w3.org/2000/svg", "xmlns:xlink": "http://www.w3.org/1999/xlink",
                "width": "\(width)", "height": "\(height)",
                "viewBox": "0 0 \(width) \(height)",
                "font-family": "-apple-system, 'SF Pro Text', 'Helvetica Neue', Helvetica, Arial, 'Liberation Sans', "
                    + "sans-serif",
            ],
            [background, SVGElement("rect", ["width": "\(width)", "height": "\(height)", "fill": "#ffffff"])]
                + panels.enumerated().map { index, panel in
                    element(panel, clock, x: margin + index * (panelWidth + margin), phoneHeight: phoneHeight)
                }
        )
        return root.markup()
    }

    private static func element(_ panel: Panel, _ clock: LockScreenClock, x: Int, phoneHeight: Int) -> SVGElement {
        let middle = panelWidth / 2
        let phone = SVGElement(
            "rect",
            [
                "y": "\(phoneTop)", "width": "\(panelWidth)", "height": "\(phoneHeight)", "rx": "44",
                "fill": "url(#night)",
            ]
        )
        var children = [
            line(panel.heading, y: 38, size: 20, weight: "600", fill: "#1c1c1e"), phone,
            line(clock.date, y: phoneTop + 58, size: 20, weight: "500", fill: "#ffffff"),
            line(clock.time, y: phoneTop + 140, size: 84, weight: "600", fill: "#ffffff"),
            SVGElement(
                "rect",
                [
                    "x": "\(middle - 67)", "y": "\(phoneTop + phoneHeight - 14)", "width": "134", "height": "5",
                    "rx": "2.5", "fill": "#ffffff",
                ]
            ),
        ]
        if let card = panel.card {
            children.append(card.element(x: (panelWidth - NotificationCard.width) / 2, y: phoneTop + cardTop))
        }
        for (index, text) in TextLines.broken(panel.note, width: 27, lineCountMax: noteLineCountMax).enumerated() {
            let y = phoneTop + phoneHeight + 22 + index * 18
            children.append(line(text, y: y, size: 13, weight: "400", fill: "#6e6e73"))
        }
        return SVGElement("g", ["transform": "translate(\(x) 0)"], children)

        func line(_ text: String, y: Int, size: Int, weight: String, fill: String) -> SVGElement {
            SVGElement(
                "text",
                [
                    "x": "\(middle)", "y": "\(y)", "font-size": "\(size)", "font-weight": weight,
                    "text-anchor": "middle", "fill": fill,
                ],
                text: text
            )
        }
    }

    private static var background: SVGElement {
        SVGElement(
            "defs",
            [:],
            [
                SVGElement(
                    "linearGradient",
                    ["id": "night", "x1": "0", "y1": "0", "x2": "0.4", "y2": "1"],
                    [
                        SVGElement("stop", ["offset": "0", "stop-color": "#1f3b73"]),
                        SVGElement("stop", ["offset": "0.55", "stop-color": "#4b4f8f"]),
                        SVGElement("stop", ["offset": "1", "stop-color": "#b06a7e"]),
                    ]
                )
            ]
        )
    }
}

extension Presentation {
    /// True if the lock screen has a notification to draw.
    fileprivate var isOnLockScreen: Bool {
        switch place {
        case .banner, .list, .inApp(banner: _, list: true): true
        case .inApp(banner: _, list: false), .nowhere: false
        }
    }
}
