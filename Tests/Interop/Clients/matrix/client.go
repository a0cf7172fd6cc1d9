// The requests of the client matrix with net/http.
package main

import (
	"crypto/sha256"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
)

func show(answer *http.Response, err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	body, _ := io.ReadAll(answer.Body)
	fmt.Printf("%d %d %x\n", answer.StatusCode, len(body), sha256.Sum256(body))
}

func main() {
	base := os.Args[1]
	show(http.Get(base + "/json?client=go"))
	show(http.Post(base+"/echo", "text/plain", strings.NewReader("hello from go")))
	show(http.Get(base + "/redirect/1"))
	show(http.Get(base + "/gzip"))
	show(http.Get(base + "/bytes/100000"))
}
