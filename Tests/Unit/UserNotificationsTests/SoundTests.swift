import Testing
import UserNotifications

struct SoundTests {
    @Test func `sounds are equal when they play the same`() {
        #expect(UNNotificationSound.default == UNNotificationSound.default)
        #expect(UNNotificationSound.default.hash == UNNotificationSound.default.hash)
        let name = UNNotificationSoundName("bell.caf")
        #expect(
            UNNotificationSound(named: name)
                == UNNotificationSound(named: UNNotificationSoundName(rawValue: "bell.caf"))
        )
    }

    @Test func `every kind of sound differs from every other`() {
        let name = UNNotificationSoundName("bell.caf")
        let sounds: [UNNotificationSound] = [
            .default, .defaultRingtone, .defaultCritical, .defaultCriticalSound(withAudioVolume: 0.5),
            UNNotificationSound(named: name), .ringtoneSoundNamed(name), .criticalSoundNamed(name),
            .criticalSoundNamed(name, withAudioVolume: 0.5),
        ]
        #expect(Set(sounds).count == sounds.count)
    }
}
