package io.uniserve.testkit.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.api.Actor;
import io.uniserve.codec.Bytes;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Cases of writing and restoring checkpoints of actors. */
interface SerializeCases extends TckCases {
    @Test
    default void aRestoredActorHasTheSameContents() {
        Actor actor = bench().withRows(0, 200);
        Actor restored = bench().restore(bench().write(actor));
        assertThat(restored.digest()).isEqualTo(actor.digest());
        assertThat(bench().retrieveAll(restored)).isEqualTo(bench().retrieveAll(actor));
        assertThat(restored.usage().rows()).isEqualTo(200);
    }

    @Test
    default void anEmptyActorIsRestoredEmpty() {
        Actor actor = bench().create();
        Actor restored = bench().restore(bench().write(actor));
        assertThat(restored.usage().rows()).isZero();
        assertThat(restored.digest()).isEqualTo(actor.digest());
    }

    @Test
    default void aRestoredActorGoesOnLikeTheOriginal() {
        Actor actor = bench().withRows(0, 20);
        Actor restored = bench().restore(bench().write(actor));
        for (Actor each : List.of(actor, restored)) {
            bench().upsert(each, bench().rows(20, 40));
            bench().upsert(each, List.of(bench().fixture().changedRow(5)));
        }
        assertThat(restored.digest()).isEqualTo(actor.digest());
        assertThat(bench().retrieveAll(restored)).isEqualTo(bench().retrieveAll(actor));
    }

    @Test
    default void writtenFilesNeverChange() {
        Actor actor = bench().withRows(0, 20);
        Path written = bench().write(actor);
        Map<String, Bytes> before = TckCheckpointFiles.contents(written);
        bench().upsert(actor, bench().rows(0, 60));
        bench().upsert(actor, List.of(bench().fixture().changedRow(1)));
        assertThat(TckCheckpointFiles.contents(written)).isEqualTo(before);
    }

    @Test
    default void eachCheckpointRestoresItsOwnState() {
        Actor actor = bench().withRows(0, 10);
        byte[] first = actor.digest();
        Path one = bench().write(actor);
        bench().upsert(actor, bench().rows(10, 20));
        byte[] second = actor.digest();
        Path two = bench().write(actor);
        assertThat(bench().restore(one).digest()).isEqualTo(first);
        assertThat(bench().restore(two).digest()).isEqualTo(second);
    }

    @Test
    default void restoringLeavesTheFilesAlone() {
        Path written = bench().write(bench().withRows(0, 20));
        Map<String, Bytes> before = TckCheckpointFiles.contents(written);
        Actor restored = bench().restore(written);
        bench().upsert(restored, bench().rows(20, 60));
        bench().write(restored);
        assertThat(TckCheckpointFiles.contents(written)).isEqualTo(before);
    }

    @Test
    default void oneCheckpointMakesManyIndependentActors() {
        Path written = bench().write(bench().withRows(0, 20));
        Actor one = bench().restore(written);
        Actor two = bench().restore(written);
        bench().upsert(one, bench().rows(20, 30));
        assertThat(one.usage().rows()).isEqualTo(30);
        assertThat(two.usage().rows()).isEqualTo(20);
    }

    @Test
    default void aCheckpointOutlivesItsActor() {
        Actor actor = bench().withRows(0, 20);
        byte[] digest = actor.digest();
        Path written = bench().write(actor);
        actor.destroy();
        assertThat(bench().restore(written).digest()).isEqualTo(digest);
    }

    @Test
    default void aCopyOfACheckpointRestores() {
        Actor actor = bench().withRows(0, 20);
        Path copy = bench().newDirectory();
        TckCheckpointFiles.copy(bench().write(actor), copy);
        assertThat(bench().restore(copy).digest()).isEqualTo(actor.digest());
    }
}
