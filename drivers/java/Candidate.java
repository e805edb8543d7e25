import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.leader.LeaderLatch;
import org.apache.curator.framework.recipes.leader.LeaderLatchListener;
import org.apache.zookeeper.KeeperException;

/**
 * A candidate of Curator's LeaderLatch as it is, for one leadership: a latch would campaign again by itself when it
 * has lost the leadership, but whoever was told that it is over must ask anew.
 *
 * <p>The library has no term: it tells observers who leads, and the leader that it leads no longer, which it does as
 * soon as the connection is SUSPENDED. A latch removes its node in the background when it is closed, so that it is looked
 * here whether the node is gone.
 */
final class Candidate implements Recipes.Hold, LeaderLatchListener {
  private static final long PATIENCE = 900_000_000L; // ns, for the node to be known and removed

  private final CuratorFramework client;
  private final LeaderLatch latch;
  private final String path;
  private final Runnable lost;
  private volatile boolean there; // its node is, or may be

  Candidate(CuratorFramework client, String path, String id, Runnable lost) {
    this.client = client;
    this.path = path;
    this.lost = lost;
    latch = new LeaderLatch(client, path, id);
    latch.addListener(this);
  }

  /** The participant's id: an owner that nobody else has, and the value with which it campaigns. */
  static String id(String owner, String value) {
    return owner + " " + value;
  }

  /** The value of whoever leads, "" if nobody does. The sync brings what is decided to the server that is read from. */
  static String leader(CuratorFramework client, String path) throws Exception {
    client.sync().forPath(path);
    try {
      String id = new LeaderLatch(client, path).getLeader().getId();
      return id.substring(id.indexOf(' ') + 1);
    } catch (KeeperException.NoNodeException e) {
      return ""; // nobody has campaigned, or not for long
    }
  }

  @Override
  public boolean acquire(long nanos) throws Exception {
    there = true;
    latch.start();
    boolean leads = false;
    try {
      leads = latch.await(nanos, TimeUnit.NANOSECONDS);
    } finally {
      if (!leads) {
        release();
      }
    }
    return leads;
  }

  @Override
  public void release() throws Exception {
    if (latch.getState() != LeaderLatch.State.STARTED) {
      return;
    }
    long until = System.nanoTime() + PATIENCE;
    String node = latch.getOurPath();
    for (; node == null && System.nanoTime() < until; node = latch.getOurPath()) {
      pause(); // it is made in the background, and whoever closes before is not told whether it was
    }
    latch.close();
    if (node == null) {
      throw new IOException("closed while its node was made");
    }
    while (client.checkExists().forPath(node) != null) {
      if (System.nanoTime() > until) {
        throw new IOException("its node is still there");
      }
      pause();
    }
    there = false;
  }

  /** Waits a little. A cancel that comes only now must not end it: the latch has to be closed, or it campaigns on. */
  private static void pause() {
    try {
      Thread.sleep(5);
    } catch (InterruptedException e) {
      // who cancelled wants nothing but that the candidate is gone
    }
  }

  @Override
  public boolean held() {
    return there;
  }

  @Override
  public String parent() {
    return path;
  }

  @Override
  public void isLeader() {}

  @Override
  public void notLeader() {
    lost.run();
  }
}
