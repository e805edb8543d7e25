-- Takes the lock as a reader (owner, TTL in ms), beside other readers. If a writer
-- has it: the ms after which its lease ends. The hold has a key of its own, and the lock lasts as long as the longest.
if redis.call('HGET', KEYS[1], 'mode') == 'write' then
  return redis.call('PTTL', KEYS[1])
end
redis.call('HSET', KEYS[1], 'mode', 'read', ARGV[1], 1)
redis.call('SET', KEYS[2], 1, 'PX', ARGV[2])
if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[2]) then
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
end
return false
