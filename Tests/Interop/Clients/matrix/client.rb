# The requests of the client matrix with net/http.
require "digest"
require "net/http"

base = ARGV[0]

def show(answer)
  puts "#{answer.code} #{answer.body.to_s.bytesize} #{Digest::SHA256.hexdigest(answer.body.to_s)}"
end

show Net::HTTP.get_response(URI(base + "/json?client=ruby"))
show Net::HTTP.post(URI(base + "/echo"), "hello from ruby", "Content-Type" => "text/plain")
moved = Net::HTTP.get_response(URI(base + "/redirect/0"))
show moved
show Net::HTTP.get_response(URI.join(base, moved["Location"]))
show Net::HTTP.get_response(URI(base + "/gzip"))
show Net::HTTP.get_response(URI(base + "/bytes/100000"))
