/// One notification on the lock screen: icon, title and time, subtitle, body, thumbnail.
///
/// Lengths are points, undocumented by Apple; these resemble a phone at the standard text size.
struct NotificationCard {
    static let width = 377
    private static let padding = 14
    private static let iconSide = 38
    private static let lineHeight = 20
    private static let fontSize = 15
    /// Of the body; an opened notification has more.
    private static let bodyLineCountMax = 4
    private static let textX = padding + iconSide + 10
    private static let timeWidth = 42

    private struct Line {
        let text: String
        let isBold: Bool
        /// Of the whole text: a line of Hebrew may begin with a name in Latin letters.
        let direction: TextDirection
        let right: Int
    }

    private let appName: String
    private let time: String
    private let thumbnail: Thumbnail?
    /// Right end of text and time, from the card's left edge.
    private let textRight: Int
    private let lines: [Line]

    /// - Parameters:
    ///   - appName: Replaces a missing title, as on iOS.
    ///   - time: Such as "10:00".
    init(_ content: ShownContent, appName: String, time: String) {
        self.appName = appName
        self.time = time
        thumbnail = Thumbnail(of: content)
        let right = Self.width - Self.padding
        textRight = thumbnail == nil ? right : right - Self.iconSide - 10
        lines =
            Self.lines(
                content.title.isEmpty ? appName : content.title,
                isBold: true,
                right: textRight - Self.timeWidth,
                countMax: 1
            )
            + Self.lines(content.subtitle, isBold: true, right: textRight, countMax: 1)
            + Self.lines(content.body, isBold: false, right: textRight, countMax: Self.bodyLineCountMax)
    }

    var height: Int { max(Self.iconSide, lines.count * Self.lineHeight) + 2 * Self.padding }

    func element(x: Int, y: Int) -> SVGElement {
        let background = SVGElement(
            "rect",
            ["width": "\(Self.width)", "height": "\(height)", "rx": "22", "fill": "#f6f6f8", "fill-opacity": "0.92"]
        )
        let children = [background] + icon + textElements + [timeElement] + thumbnailElements
        return SVGElement("g", ["transform": "translate(\(x) \(y))"], children)
    }

    private static func lines(_ text: String, isBold: Bool, right: Int, countMax: Int) -> [Line] {
        // Bold letters are a tenth wider.
        let width = Double(right - textX) / Double(fontSize) / (isBold ? 1.1 : 1)
        return TextLines.broken(text, width: width, lineCountMax: countMax)
            .map { Line(text: $0, isBold: isBold, direction: TextDirection(of: text), right: right) }
    }

    /// App name's first letter: no real icon is known here.
    private var icon: [SVGElement] {
        let y = (height - Self.iconSide) / 2
        return [
            SVGElement(
                "rect",
                [
                    "x": "\(Self.padding)", "y": "\(y)", "width": "\(Self.iconSide)", "height": "\(Self.iconSide)",
                    "rx": "9", "fill": "#3478f6",
                ]
            ),
            SVGElement(
                "text",
                [
                    "x": "\(Self.padding + Self.iconSide / 2)", "y": "\(y + 26)", "font-size": "20",
                    "font-weight": "600", "text-anchor": "middle", "fill": "#ffffff",
                ],
                text: String(appName.prefix(1))
            ),
        ]
    }

    private var textElements: [SVGElement] {
        let top = (height - lines.count * Self.lineHeight) / 2
        return lines.enumerated().map { index, line in
            let isRightToLeft = line.direction == .rightToLeft
            return SVGElement(
                "text",
                [
                    "x": "\(isRightToLeft ? line.right : Self.textX)",
                    "y": "\(top + index * Self.lineHeight + Self.fontSize)",
                    "font-size": "\(Self.fontSize)", "font-weight": line.isBold ? "600" : "400",
                    "direction": isRightToLeft ? "rtl" : "ltr", "fill": "#1c1c1e",
                ],
                text: line.text
            )
        }
    }

    private var timeElement: SVGElement {
        let top = (height - lines.count * Self.lineHeight) / 2
        return SVGElement(
            "text",
            [
                "x": "\(textRight)", "y": "\(top + Self.fontSize)", "font-size": "13",
                "text-anchor": "end", "fill": "#6e6e73",
            ],
            text: time
        )
    }

    private var thumbnailElements: [SVGElement] {
        guard let thumbnail else { return [] }
        let x = Self.width - Self.padding - Self.iconSide
        let y = (height - Self.iconSide) / 2
        let side = "\(Self.iconSide)"
        let box = SVGElement(
            "rect",
            ["x": "\(x)", "y": "\(y)", "width": side, "height": side, "rx": "6", "fill": "#c7c7cc"]
        )
        switch thumbnail {
        case .image(let dataURI):
            let corners = SVGElement(
                "clipPath",
                ["id": "corners"],
                [SVGElement("rect", ["x": "\(x)", "y": "\(y)", "width": side, "height": side, "rx": "6"])]
            )
            let image = SVGElement(
                "image",
                [
                    "x": "\(x)", "y": "\(y)", "width": side, "height": side, "clip-path": "url(#corners)",
                    "preserveAspectRatio": "xMidYMid slice", "xlink:href": dataURI,
                ]
            )
            return [box, corners, image]
        case .symbol:
            let mountains = "M\(x + 6) \(y + 29)l9-12 6 8 4-5 7 9z"
            return [box, SVGElement("path", ["d": mountains, "fill": "#ffffff"])]
        }
    }
}
