package io.uniserve.cli.backup;

import io.uniserve.cli.cluster.ClusterClient;
import io.uniserve.cli.command.Console;
import io.uniserve.cli.command.ProgressBar;
import io.uniserve.model.BackupName;
import io.uniserve.protocol.env.Clock;
import io.uniserve.protocol.message.AdminReply.WorkProgress;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Runner of a backup call that meanwhile shows how many actors are done. */
final class BackupProgressMonitor {
    private static final long LOOK_MS = 250;
    private static final int PERCENT = 100;

    private BackupProgressMonitor() {}

    static void run(Console console, Clock clock, ClusterClient cluster, String what, BackupName name, Runnable call)
            throws Exception {
        FutureTask<Boolean> task = new FutureTask<>(call, true);
        Thread thread = new Thread(task, "uniserve-backup");
        thread.setDaemon(true);
        thread.start();
        ProgressBar progress = new ProgressBar(console.err(), console.terminal(), clock::nanos, what, PERCENT);
        boolean shown = false;
        while (!awaitEnd(task)) {
            WorkProgress work = cluster.backupProgress(name);
            if (work.total() > 0) {
                shown = true;
                progress.update(
                        (long) PERCENT * work.done() / work.total(), work.done() + " of " + work.total() + " actors");
            }
        }
        if (shown) {
            progress.finish();
        }
    }

    private static boolean awaitEnd(FutureTask<Boolean> task) throws Exception {
        try {
            return task.get(LOOK_MS, TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            return false;
        } catch (ExecutionException e) {
            throw e.getCause() instanceof RuntimeException cause ? cause : e;
        }
    }
}
