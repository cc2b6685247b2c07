import Envelope
import Foundation
import Keys
import Sealing

/// The key in a file: made at the first start, loaded at every other.
func loadSender(_ path: String) throws -> SenderIdentity {
  do {
    return try SenderIdentity(keyFile: path)
  } catch FileError.notFound {
    let sender = SenderIdentity()
    try sender.write(to: path)
    return sender
  }
}

/// Replaces your secret store: it takes bytes under a name and gives them back.
struct Vault {
  let folder: URL

  func put(_ secret: Data, as name: String) throws {
    try secret.write(to: folder.appendingPathComponent(name), options: .atomic)
  }

  func get(_ name: String) throws -> Data { try Data(contentsOf: folder.appendingPathComponent(name)) }
}

func keep(_ sender: borrowing SenderIdentity, in vault: Vault) throws {
  try vault.put(sender.withSeed { seed in seed.withUnsafeBytes { Data($0) } }, as: "sender")
}

func loadSender(from vault: Vault) throws -> SenderIdentity {
  let seed = Array(try vault.get("sender"))
  return try SenderIdentity(seed: seed.span.bytes)
}

/// A new key, stored before it is announced.
func rotate(_ sender: borrowing SenderIdentity, to path: String, topic: BundleID) throws -> Data {
  let successor = SenderIdentity()
  try successor.write(to: path)
  return Data(sender.announcing(successor: successor, topic: topic))
}
