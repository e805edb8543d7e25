-- Gives the writer's hold a new TTL (in ms), and answers how many it extended.
local t = redis.call('TIME')
local till, n = string.format('%.3f', t[1] * 1000 + t[2] / 1000 + tonumber(ARGV[1])), 0
for _, member in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do
  if string.sub(member, 1, 1) == 'w' then
    redis.call('ZADD', KEYS[1], till, member)
    n = n + 1
  end
end
return n
