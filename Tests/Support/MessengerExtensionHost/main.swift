import ExtensionHarness
import MessengerStyles

let style = MessengerStyle(rawValue: CommandLine.arguments.dropFirst().first ?? "")
precondition(style != nil, "one of \(MessengerStyle.allCases.map(\.rawValue))")
MessengerServer.start
ExtensionHost.run { (style ?? .signal).make() }
