import com.fasterxml.jackson.databind.JsonNode;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.framework.recipes.locks.InterProcessReadWriteLock;
import org.apache.curator.framework.recipes.locks.InterProcessSemaphoreV2;
import org.apache.curator.framework.recipes.locks.Lease;

/** The recipes of Curator that the driver can hold, by the option lock: mutex, rw, semaphore, latch. */
enum Recipes {
  MUTEX("InterProcessMutex", ""),
  RW("InterProcessReadWriteLock", "rw"),
  SEMAPHORE("InterProcessSemaphoreV2", "semaphore"),
  LATCH("LeaderLatch", "election");

  /** What one lease holds of a recipe, or asks for. One thread calls it. */
  interface Hold {
    /** Waits until the recipe has it, or tells that the time is over. */
    boolean acquire(long nanos) throws Exception;

    void release() throws Exception;

    /** Tells that the recipe believes that it holds something, or may have something yet. */
    boolean held();

    /** The node below which those are whose data is the owner. */
    String parent();
  }

  final String library;
  final String kind; // as the driver declares it

  Recipes(String library, String kind) {
    this.library = library;
    this.kind = kind;
  }

  /** Tells whether an acquire may ask for a mode, "" for none. */
  boolean knows(String mode) {
    switch (this) {
      case SEMAPHORE:
        return mode.equals("permits");
      case LATCH:
        return mode.equals("campaign");
      default:
        return mode.isEmpty() || this == RW && mode.equals("shared");
    }
  }

  /** The owner value of what a request asks for, which begins with the given one. */
  String owner(String begin, JsonNode q) {
    return this == LATCH ? Candidate.id(begin, q.path("value").asText()) : begin;
  }

  /** What a request asks for; lost is run where the recipe itself tells that it is over. */
  Hold hold(CuratorFramework client, String owner, JsonNode q, Runnable lost) {
    String path = path(q.get("lock").asText());
    byte[] data = owner.getBytes(StandardCharsets.UTF_8);
    switch (this) {
      case RW:
        InterProcessReadWriteLock lock = new InterProcessReadWriteLock(client, path, data);
        return new Mutex(q.path("mode").asText().equals("shared") ? lock.readLock() : lock.writeLock(), path);
      case SEMAPHORE:
        return new Permits(client, path, data, q.path("permits").asInt(), q.path("capacity").asInt());
      case LATCH:
        return new Candidate(client, path, owner, lost);
      default:
        return new Mutex(new Owned(client, path, data), path);
    }
  }

  static String path(String name) {
    return "/lock/" + name;
  }

  /** A mutex whose node holds the owner, as Curator lets subclasses do. */
  private static final class Owned extends InterProcessMutex {
    private final byte[] owner;

    Owned(CuratorFramework client, String path, byte[] owner) {
      super(client, path);
      this.owner = owner;
    }

    @Override
    protected byte[] getLockNodeBytes() {
      return owner;
    }
  }

  private static final class Mutex implements Hold {
    private final InterProcessMutex mutex;
    private final String path;

    Mutex(InterProcessMutex mutex, String path) {
      this.mutex = mutex;
      this.path = path;
    }

    @Override
    public boolean acquire(long nanos) throws Exception {
      return mutex.acquire(nanos, TimeUnit.NANOSECONDS);
    }

    @Override
    public void release() throws Exception {
      mutex.release();
    }

    @Override
    public boolean held() {
      return mutex.isAcquiredInThisProcess();
    }

    @Override
    public String parent() {
      return path;
    }
  }

  /** Several leases of a semaphore, which Curator takes one after another and gives back together. */
  private static final class Permits implements Hold {
    private final InterProcessSemaphoreV2 semaphore;
    private final String path;
    private final int permits;
    private volatile Collection<Lease> leases;

    Permits(CuratorFramework client, String path, byte[] data, int permits, int capacity) {
      semaphore = new InterProcessSemaphoreV2(client, path, capacity);
      semaphore.setNodeData(data);
      this.path = path;
      this.permits = permits;
    }

    @Override
    public boolean acquire(long nanos) throws Exception {
      leases = semaphore.acquire(permits, nanos, TimeUnit.NANOSECONDS);
      return leases != null;
    }

    @Override
    public void release() {
      semaphore.returnAll(leases);
      leases = null;
    }

    @Override
    public boolean held() {
      return leases != null;
    }

    @Override
    public String parent() {
      return path + "/leases";
    }
  }
}
