package io.uniserve.cli.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.uniserve.cli.process.FailPoints.Place;
import io.uniserve.cli.process.RecordedLoad.Lone;
import io.uniserve.testkit.process.DaemonProcess;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Real clients that are killed by SIGKILL between the phases of their atomic updates, and primaries that are killed while a client's rows
 * are staged there. The outcomes are checked in the history of a concurrent load.
 */
class FailingClientsIT {
    @Test
    void clientsDieWhileTheirUpdatesArePrepared(@TempDir Path directory) throws Exception {
        try (FailingBank bank = FailingBank.start(directory)) {
            diesPrepared(bank, "gone", false, false);
            diesPrepared(bank, "again", false, true);
            diesPrepared(bank, "with-driver", true, false);
            bank.judge();
        }
    }

    @Test
    void clientsAndPrimariesDieWhileRowsAreStaged(@TempDir Path directory) throws Exception {
        try (FailingBank bank = FailingBank.start(directory)) {
            Lone never = diesStaged(bank, "gone");
            bank.load().neverAsked(never);
            Lone again = diesStaged(bank, "again");
            bank.load().sendAgain(again);
            Lone primary = primaryDies(bank, "primary", bank.participant());
            Lone driver = primaryDies(bank, "driver", 0);
            bank.judge();
            assertThat(bank.load().fillings(never)).isEmpty();
            for (Lone once : new Lone[] {again, primary, driver}) {
                assertThat(bank.load().fillings(once))
                        .hasSize(LoneUpdate.FILLINGS)
                        .containsOnly(1);
            }
        }
    }

    /**
     * Kills a client while a primary has its PREPARE and has not voted.
     *
     * @param driverToo its transaction manager is killed as well, so that others complete the transaction
     * @param again another process sends the update again, under its id; otherwise it is never sent again
     */
    private static void diesPrepared(FailingBank bank, String name, boolean driverToo, boolean again) throws Exception {
        int actor = bank.participant();
        String stopped = bank.primary(actor);
        String driver = bank.primary(0);
        FailPoints points = bank.points(stopped);
        Lone lone = bank.load().lone(name, false);
        points.order(Place.PREPARE_SYNCED, "STOP", bank.files(actor), name);
        try (DaemonProcess sender = bank.sender(name, lone.update())) {
            await(name + " is prepared").atMost(FailingBank.PATIENCE).until(() -> points.reached(Place.PREPARE_SYNCED));
            sender.kill();
        }
        if (driverToo) {
            bank.daemon(driver).kill();
        }
        FailingBank.resume(bank.daemon(stopped));
        bank.progress();
        if (again) {
            bank.load().sendAgain(lone);
        }
        if (driverToo) {
            bank.revive(driver);
        }
        settle(bank);
    }

    /** Kills a client when all primaries have staged its rows and before it calls a transaction manager. */
    private static Lone diesStaged(FailingBank bank, String name) throws Exception {
        FailPoints points = bank.points(name);
        Lone lone = bank.load().lone(name, true);
        points.order(Place.ROWS_STAGED, "KILL", FailingBank.TABLE);
        try (DaemonProcess sender = bank.sender(name, lone.update())) {
            await(name + " dies").atMost(FailingBank.PATIENCE).until(() -> !sender.isAlive());
        }
        assertThat(points.reached(Place.ROWS_STAGED)).isTrue();
        settle(bank);
        return lone;
    }

    /** Kills a primary with a client's staged rows before the transaction manager is called: the client sends the rows again. */
    private static Lone primaryDies(FailingBank bank, String name, int actor) throws Exception {
        FailPoints points = bank.points(name);
        Lone lone = bank.load().lone(name, true);
        points.order(Place.ROWS_STAGED, "STOP", FailingBank.TABLE);
        try (DaemonProcess sender = bank.sender(name, lone.update())) {
            await(name + " has staged").atMost(FailingBank.PATIENCE).until(() -> points.reached(Place.ROWS_STAGED));
            String victim = bank.primary(actor);
            bank.daemon(victim).kill();
            FailingBank.resume(sender);
            await(name + " hears of its update")
                    .atMost(FailingBank.PATIENCE)
                    .untilAsserted(() -> assertThat(FailingMain.outcome(sender).version())
                            .as(sender.tail())
                            .isPositive());
            MachineClient.Updated outcome = FailingMain.outcome(sender);
            bank.load().heard(lone, outcome.version());
            assertThat(outcome.attempts()).as("drivers asked").isGreaterThan(1);
            bank.revive(victim);
        }
        settle(bank);
        return lone;
    }

    /** The current rows are read for a while, then the load uses other rows. */
    private static void settle(FailingBank bank) {
        bank.whole();
        bank.progress();
        bank.load().nextPhase();
    }
}
