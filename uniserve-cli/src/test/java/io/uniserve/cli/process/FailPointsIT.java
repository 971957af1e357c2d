package io.uniserve.cli.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.uniserve.cli.process.FailPoints.Place;
import java.nio.file.Path;
import java.util.EnumSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Real servers that are killed by SIGKILL, or stopped, exactly between the phases of atomic updates, under a load whose history is checked
 * like that of the simulation.
 */
class FailPointsIT {
    @Test
    void driversAndPrimariesDieBetweenThePhases(@TempDir Path directory) throws Exception {
        try (FailingBank bank = FailingBank.start(directory)) {
            for (Place place : EnumSet.complementOf(EnumSet.of(Place.ROWS_STAGED))) {
                dies(bank, place);
            }
            wakes(bank);
            bank.judge();
        }
    }

    /** A server is killed there and the others continue; it restarts, and all replicas are in sync again. */
    private static void dies(FailingBank bank, Place place) throws Exception {
        boolean driver = place == Place.BEFORE_COMMIT || place == Place.AFTER_COMMIT;
        int actor = driver ? 0 : 1;
        String victim = bank.primary(actor);
        FailPoints points = bank.points(victim);
        points.order(place, "KILL", driver ? "/" + FailingBank.TABLE + "/" : bank.files(actor));
        await(victim + " dies at " + place)
                .atMost(FailingBank.PATIENCE)
                .until(() -> !bank.daemon(victim).isAlive());
        assertThat(points.reached(place)).isTrue();
        bank.load().nextPhase();
        bank.revive(victim);
    }

    /** The transaction manager stops before its decision until others have aborted its update, then continues and sends it. */
    private static void wakes(FailingBank bank) throws Exception {
        String victim = bank.primary(0);
        FailPoints points = bank.points(victim);
        points.order(Place.BEFORE_COMMIT, "STOP", "/" + FailingBank.TABLE + "/");
        await(victim + " stops").atMost(FailingBank.PATIENCE).until(() -> points.reached(Place.BEFORE_COMMIT));
        bank.load().nextPhase();
        bank.progress();
        bank.daemon(victim).resume();
        bank.whole();
        bank.progress();
    }
}
