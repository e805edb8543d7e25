-- Takes the lock, or enters it once more (owner, TTL in ms). If another has it:
-- the ms after which that lease ends, negative if it does not.
if redis.call('EXISTS', KEYS[1]) == 0 or redis.call('HEXISTS', KEYS[1], ARGV[1]) == 1 then
  redis.call('HINCRBY', KEYS[1], ARGV[1], 1)
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
  return false
end
return redis.call('PTTL', KEYS[1])
