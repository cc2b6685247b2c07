// The same as cost.py, in Go.
package main

import (
	"fmt"
	"log"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"sealedpush.example/sealedpush"
)

func must[Value any](value Value, err error) Value {
	if err != nil {
		log.Fatal(err)
	}
	return value
}

func cpu() int64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		log.Fatal(err)
	}
	return usage.Utime.Nano() + usage.Stime.Nano()
}

func main() {
	sender := must(sealedpush.LoadSenderKey(os.Args[1]))
	text := string(must(os.ReadFile(os.Args[2])))
	pins := must(sealedpush.NewFilePins(os.Args[3]))
	rounds := must(strconv.Atoi(os.Args[4]))
	lines := strings.Split(strings.TrimSpace(text), "\n")
	start := cpu()
	var recipients []*sealedpush.Recipient
	for _, line := range lines {
		words := strings.Fields(line)
		identity := must(sealedpush.ParseIdentityKey(words[1]))
		bundle := must(sealedpush.ParseBundle(words[2], time.Now()))
		device := sealedpush.Device{Identity: identity, Topic: "com.example.chat"}
		recipients = append(recipients, must(device.Recipient(bundle, pins, time.Now())))
	}
	count := int64(len(recipients))
	fmt.Println((cpu() - start) / count)
	for round := 0; round < rounds; round++ {
		start := cpu()
		message := sealedpush.Message{Title: "Anna", Body: "See you at eight"}
		prepared := must(sealedpush.Prepare(message, time.Now(), sealedpush.Options{}))
		var sealed []sealedpush.SubmissionRecipient
		for _, recipient := range recipients {
			sealed = append(sealed, must(sender.Seal(prepared, recipient, time.Now())).For("d"))
		}
		if len(sealed) != len(recipients) {
			log.Fatal("not every recipient has a message")
		}
		fmt.Println((cpu() - start) / count)
	}
}
