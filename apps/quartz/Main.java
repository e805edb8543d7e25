// One scheduler of a cluster on PostgreSQL, with six reports that are due every three seconds; with
// "first", it makes the tables and the reports.
import java.io.InputStream;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.util.Properties;
import org.quartz.CronScheduleBuilder;
import org.quartz.DisallowConcurrentExecution;
import org.quartz.Job;
import org.quartz.JobBuilder;
import org.quartz.JobExecutionContext;
import org.quartz.JobExecutionException;
import org.quartz.Scheduler;
import org.quartz.TriggerBuilder;
import org.quartz.impl.StdSchedulerFactory;
import org.quartz.utils.ConnectionProvider;

public final class Main {
    private static final String URL = System.getenv("DATABASE_URL");
    private static final int REPORTS = 6;

    /** A report takes a second, and writes one row. */
    @DisallowConcurrentExecution
    public static final class Report implements Job {
        @Override
        public void execute(JobExecutionContext context) throws JobExecutionException {
            String key = context.getJobDetail().getKey().getName() + "@" + context.getScheduledFireTime().getTime() / 1000;
            System.out.println("begin " + key);
            try (Connection db = DriverManager.getConnection(URL);
                    PreparedStatement insert = db.prepareStatement("INSERT INTO reports VALUES (?)")) {
                Thread.sleep(1000);
                insert.setString(1, key);
                insert.executeUpdate();
            } catch (Exception e) {
                throw new JobExecutionException(e);
            }
            System.out.println("done " + key);
        }
    }

    /** Connections without a pool. */
    public static final class Connections implements ConnectionProvider {
        @Override
        public Connection getConnection() throws java.sql.SQLException {
            return DriverManager.getConnection(URL);
        }

        @Override
        public void shutdown() {}

        @Override
        public void initialize() {}
    }

    public static void main(String[] args) throws Exception {
        boolean first = args.length > 0;
        if (first) makeTables();
        Scheduler scheduler = new StdSchedulerFactory(settings()).getScheduler();
        if (first) {
            schedule(scheduler);
            scheduler.shutdown();
            return;
        }
        scheduler.start();
        System.out.println("started");
    }

    private static Properties settings() {
        Properties p = new Properties();
        p.setProperty("org.quartz.scheduler.instanceName", "reports");
        p.setProperty("org.quartz.scheduler.instanceId", "AUTO");
        p.setProperty("org.quartz.scheduler.skipUpdateCheck", "true");
        p.setProperty("org.quartz.threadPool.threadCount", "10");
        p.setProperty("org.quartz.jobStore.class", "org.quartz.impl.jdbcjobstore.JobStoreTX");
        p.setProperty("org.quartz.jobStore.driverDelegateClass", "org.quartz.impl.jdbcjobstore.PostgreSQLDelegate");
        p.setProperty("org.quartz.jobStore.isClustered", "true");
        p.setProperty("org.quartz.jobStore.clusterCheckinInterval", "1000"); // failed: 7.5 s later
        p.setProperty("org.quartz.jobStore.dataSource", "db");
        p.setProperty("org.quartz.dataSource.db.connectionProvider.class", Connections.class.getName());
        return p;
    }

    private static void makeTables() throws Exception {
        try (Connection db = DriverManager.getConnection(URL);
                InputStream sql = Job.class.getResourceAsStream("impl/jdbcjobstore/tables_postgres.sql")) {
            db.createStatement().execute(new String(sql.readAllBytes(), "UTF-8"));
            db.createStatement().execute("CREATE TABLE reports (key text)");
        }
    }

    private static void schedule(Scheduler scheduler) throws Exception {
        for (int i = 1; i <= REPORTS; i++) {
            scheduler.scheduleJob(
                    JobBuilder.newJob(Report.class).withIdentity("report" + i).build(),
                    TriggerBuilder.newTrigger().withSchedule(CronScheduleBuilder.cronSchedule("0/3 * * * * ?")).build());
        }
    }
}
