/**
 * Sender of SealedPush: seals notifications that only the recipient's device can open (docs/protocol.md).
 *
 * <p>A back end makes one {@link sealedpush.SenderIdentity}, pins each device's {@link sealedpush.IdentityKey}, checks
 * the device's bundle into a {@link sealedpush.Recipient}, seals a {@link sealedpush.Message} for it, and gives the
 * result to the relay by a {@link sealedpush.RelayClient}. All cryptography is the JDK's.
 *
 * <p>Texts and keys never stand in an error. The package wipes the arrays that it makes; the JDK keeps its own copies of
 * private keys and derived keys until they are collected, and texts are Java strings: neither can be wiped.
 */
package sealedpush;
