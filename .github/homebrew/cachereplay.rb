# The Homebrew formula of CacheReplay. The release workflow replaces the words between at signs, and adds the result to
# the release as cachereplay.rb, to be copied to Formula/cachereplay.rb of a tap.
#
# Not yet run: CacheReplay has not been built on macOS, and this formula has been checked by reading only. No licence
# has been chosen yet, so it states none; `brew audit` says so.
class Cachereplay < Formula
  desc "Compare image caches on recorded sessions of an app"
  homepage "https://github.com/@REPOSITORY@"
  url "https://github.com/@REPOSITORY@.git", tag: "@TAG@", revision: "@REVISION@"
  head "https://github.com/@REPOSITORY@.git", branch: "main"

  depends_on "pkgconf" => :build
  depends_on xcode: ["26.0", :build] # Swift 6.2
  depends_on "curl"
  depends_on "gnuplot"
  depends_on "jpeg-turbo"
  depends_on "libarchive"
  depends_on "libpng"
  depends_on macos: :sequoia
  depends_on "sqlite"
  depends_on "webp"

  def install
    ENV["CACHEREPLAY_COMMIT"] = Utils.git_head(length: 10)
    # The package manager's sandbox cannot be made in that of Homebrew.
    system "swift", "build", "--disable-sandbox", "-c", "release", "--product", "cachereplay"
    bin.install ".build/release/cachereplay"
    generate_completions_from_executable(bin/"cachereplay", "--generate-completion-script")
    (buildpath/"cachereplay.1").write Utils.safe_popen_read("scripts/packages/manual", bin/"cachereplay")
    man1.install "cachereplay.1"
    (pkgshare/"Traces").install Dir["Traces/*"]
    (pkgshare/"caches").install "scripts/demo.yaml", "scripts/studies/libraries.yaml"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/cachereplay --version")
    system bin/"cachereplay", "replay", pkgshare/"Traces/stress-feed.jsonl", "--cache", "kingfisher-8",
           "--timing", "modelled", "--output", testpath/"results"
    assert_path_exists testpath/"results/report.html"
  end
end
