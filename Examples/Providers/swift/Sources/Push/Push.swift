import APNS
import APNSProvider
import Foundation

/// Pushes with APNSProvider. The simulator's address, the key and a device token are in the environment.
@main
struct Push {
  static func main() async {
    do {
      try await run()
    } catch {
      FileHandle.standardError.write(Data("\(error)\n".utf8))
      exit(1)
    }
  }

  static func run() async throws {
    let provider = try Provider()
    try await provider.expect(200, nil, from: variable("DEVICE_TOKEN"))
    try await provider.expect(400, .badDeviceToken, from: String(repeating: "ab", count: 32))
    if let gone = ProcessInfo.processInfo.environment["GONE_TOKEN"], !gone.isEmpty {
      try await provider.expect(410, .unregistered, from: gone)
    }
    await provider.client.close()
  }
}

/// One for the life of the process. It makes tokens, renews them, and keeps its connections.
struct Provider {
  let client: APNSClient
  let topic: Topic

  init() throws {
    let server = try variable("APNS_SERVER").split(separator: ":")
    let p8 = [UInt8](try Data(contentsOf: URL(fileURLWithPath: variable("APNS_KEY"))))
    let key = try ProviderTokenSource(
      p8: p8.span.bytes,
      keyID: KeyID(variable("APNS_KEY_ID")),
      teamID: TeamID(variable("APNS_TEAM_ID"))
    )
    var configuration = APNSClientConfiguration()
    configuration.trust = .pem([UInt8](try Data(contentsOf: URL(fileURLWithPath: variable("APNS_AUTHORITY")))))
    client = try APNSClient(
      endpoint: APNSEndpoint(host: String(server[0]), port: UInt16(server[1]) ?? 443),
      credential: .token(key),
      configuration: configuration
    )
    topic = try Topic(variable("APNS_TOPIC"))
  }

  func push(to deviceToken: String) async throws -> APNSResponse {
    let payload = PushPayload(APS(alert: Alert(title: "Hello", body: "from Swift"), sound: .default))
    return try await client.send(
      PushNotification(
        deviceToken: DeviceToken(hex: deviceToken),
        topic: topic,
        priority: .immediate,
        payload: payload.bytes(for: .alert)
      )
    )
  }

  /// A back end's action for an answer.
  func act(on response: APNSResponse) -> String {
    switch response.disposition.deviceToken {
    case .markReached: "accepted"
    case .deleteUnlessRegisteredSince: "the app is gone: ask provesGone(registeredAtMilliseconds:), and delete the token"
    case .quarantine: "not a token of this environment: do not send again"
    default: "not expected"
    }
  }

  func expect(_ status: Int, _ reason: Reason?, from deviceToken: String) async throws {
    let response = try await push(to: deviceToken)
    print(response.status, "apns-id", response.id, response.reason?.rawValue ?? "", act(on: response))
    guard response.status == status, response.reason == reason else {
      throw NotExpected(status: status, reason: reason)
    }
  }
}

struct NotExpected: Error {
  let status: Int
  let reason: Reason?
}

struct NotSet: Error {
  let name: String
}

func variable(_ name: String) throws -> String {
  guard let value = ProcessInfo.processInfo.environment[name] else { throw NotSet(name: name) }
  return value
}
