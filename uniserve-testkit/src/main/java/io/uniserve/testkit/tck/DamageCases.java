package io.uniserve.testkit.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.api.Actor;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/**
 * Cases of damaged files. A restore either gives the right contents, if the file did not matter, or fails with CORRUPT; it never gives
 * other contents. Single flipped bits are not tested: the host detects them by the hash of every file.
 */
interface DamageCases extends TckCases {
    @Test
    default void anEmptyDirectoryIsRefused() {
        assertThatThrownBy(() -> bench().restore(bench().newDirectory()))
                .isInstanceOfSatisfying(
                        UniserveException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CORRUPT));
    }

    @Test
    default void aMissingFileIsRefused() {
        checkDamage(TckCheckpointFiles::delete);
    }

    @Test
    default void aHalvedFileIsRefused() {
        checkDamage(file -> {
            byte[] bytes = TckCheckpointFiles.read(file);
            TckCheckpointFiles.write(file, Arrays.copyOf(bytes, bytes.length / 2));
        });
    }

    @Test
    default void anEmptiedFileIsRefused() {
        checkDamage(file -> TckCheckpointFiles.write(file, new byte[0]));
    }

    @Test
    default void aFileOfGarbageIsRefused() {
        checkDamage(file -> {
            byte[] bytes = TckCheckpointFiles.read(file);
            for (int i = 0; i < bytes.length; i++) {
                bytes[i] = (byte) (i * 31 + 7);
            }
            TckCheckpointFiles.write(file, bytes);
        });
    }

    @Test
    default void theEngineLivesOnAfterADamagedRestore() {
        assertThatThrownBy(() -> bench().restore(bench().newDirectory())).isInstanceOf(UniserveException.class);
        assertThat(bench().withRows(0, 5).usage().rows()).isEqualTo(5);
    }

    /** Damages each file of a checkpoint in turn. */
    private void checkDamage(Consumer<Path> damage) {
        Actor actor = bench().withRows(0, 50);
        Path good = bench().write(actor);
        int refused = 0;
        for (String name : TckCheckpointFiles.names(good)) {
            Path bad = bench().newDirectory();
            TckCheckpointFiles.copy(good, bad);
            damage.accept(bad.resolve(name));
            try {
                assertThat(bench().restore(bad).digest())
                        .as("contents after damage to " + name)
                        .isEqualTo(actor.digest());
            } catch (UniserveException e) {
                assertThat(e.code()).as(name).isEqualTo(ErrorCode.CORRUPT);
                refused++;
            }
        }
        assertThat(refused).as("files whose damage is found").isPositive();
    }
}
