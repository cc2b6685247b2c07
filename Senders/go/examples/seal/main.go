// Seals a message for a device and prints the push. Without arguments it prints the sender's public key, for the app.
package main

import (
	"errors"
	"fmt"
	"io/fs"
	"log"
	"os"
	"time"

	"sealedpush.example/sealedpush"
)

func loadSender(path string) (*sealedpush.SenderKey, error) {
	key, err := sealedpush.LoadSenderKey(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return key, err
	}
	if key, err = sealedpush.NewSenderKey(); err != nil {
		return nil, err
	}
	return key, key.Save(path)
}

func seal(sender *sealedpush.SenderKey, identityText, bundleText string, message sealedpush.Message) ([]byte, error) {
	identity, err := sealedpush.ParseIdentityKey(identityText)
	if err != nil {
		return nil, err
	}
	pins, err := sealedpush.NewFilePins("pins")
	if err != nil {
		return nil, err
	}
	now := time.Now()
	bundle, err := sealedpush.ParseBundle(bundleText, now)
	if err != nil {
		return nil, err
	}
	device := sealedpush.Device{Identity: identity, Topic: "com.example.chat"}
	recipient, err := device.Recipient(bundle, pins, now)
	if err != nil {
		return nil, err
	}
	prepared, err := sealedpush.Prepare(message, now, sealedpush.Options{})
	if err != nil {
		return nil, err
	}
	sealed, err := sender.Seal(prepared, recipient, now)
	if err != nil {
		return nil, err
	}
	return sealed.Payload(sealedpush.Placeholder{LocKey: "NEW_MESSAGE"})
}

func main() {
	sender, err := loadSender("sender.key")
	if err != nil {
		log.Fatal(err)
	}
	if len(os.Args) != 3 {
		fmt.Println(sender.Public())
		return
	}
	identity, err := os.ReadFile(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	bundle, err := os.ReadFile(os.Args[2])
	if err != nil {
		log.Fatal(err)
	}
	message := sealedpush.Message{Title: "Anna", Body: "See you at eight"}
	payload, err := seal(sender, string(identity), string(bundle), message)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(string(payload))
}
