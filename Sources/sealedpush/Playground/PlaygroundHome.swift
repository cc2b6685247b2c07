import CommandLineTool
import HTTP

/// Phone's folders and the page's events: made before the simulator, gone after it.
final class PlaygroundHome {
    let container: AppContainer
    let report = PlaygroundReport(feed: EventFeed())

    init() throws(CommandError) { container = try AppContainer() }
}
