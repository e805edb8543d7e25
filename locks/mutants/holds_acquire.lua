-- Takes a hold that ends by itself (its member: mode, permits, owner; mode; permits; capacity; TTL in ms; the client's time in ms, or '' for
-- the server's; what is overlooked) and answers how many permits were taken, 0 if what is held forbids it. A mode is r, w or p.
local mode, permits, capacity, overlooked = ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4]), ARGV[7]
local now = tonumber(ARGV[6])
if not now then
  local t = redis.call('TIME')
  now = t[1] * 1000 + t[2] / 1000 -- a hold must not end before its client thinks so
end
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', string.format('%.3f', now))
if redis.call('GET', KEYS[3]) == mode .. permits then
  return 0
end
local out = 0
for _, member in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do
  local held = string.sub(member, 1, 1)
  if mode ~= 'p' and held ~= overlooked and not (mode == 'r' and held == 'r') then
    return 0
  end
  out = out + tonumber(string.match(member, '^%a(%d+)'))
end
if mode == 'p' then
  local left = capacity + tonumber(redis.call('GET', KEYS[2]) or 0) - out
  if left < permits and not (overlooked == 'part' and left > 0) then
    return 0
  end
  permits = math.min(permits, left)
end
redis.call('ZADD', KEYS[1], string.format('%.3f', now + tonumber(ARGV[5])), mode .. permits .. ':' .. ARGV[1])
return permits
