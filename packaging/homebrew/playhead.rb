# A formula for a tap: brew install --build-from-source ./packaging/homebrew/playhead.rb
class Playhead < Formula
  desc "Record what a program says to the network, and replay it offline"
  homepage "https://github.com/playhead/playhead"
  url "https://github.com/playhead/playhead.git", tag: "v0.1.0"
  license "MIT"
  head "https://github.com/playhead/playhead.git", branch: "main"

  depends_on "pkgconf" => :build
  depends_on xcode: ["16.3", :build]
  depends_on "brotli"
  depends_on "libyaml"
  depends_on macos: :sequoia
  depends_on "openssl@3"
  depends_on "zstd"

  uses_from_macos "swift" => :build
  uses_from_macos "zlib"

  def install
    arguments = ["--disable-sandbox", "--configuration", "release", "--product", "playhead"]
    arguments << "--static-swift-stdlib" if OS.linux?
    system "swift", "build", *arguments
    bin.install ".build/release/playhead"
    (man1/"playhead.1").write Utils.safe_popen_read("scripts/man-page", bin/"playhead")
    generate_completions_from_executable(bin/"playhead", "--generate-completion-script")
  end

  def caveats
    <<~EOS
      Programs that trust the keychain alone need the local CA in it:
        playhead cert install
    EOS
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/playhead version")
    output = shell_output("#{bin}/playhead run --mode none -- curl -s http://playhead.internal/ca.pem")
    assert_match "BEGIN CERTIFICATE", output
  end
end
