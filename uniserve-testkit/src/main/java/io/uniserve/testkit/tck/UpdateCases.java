package io.uniserve.testkit.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.api.Actor;
import io.uniserve.api.Document;
import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Cases of new actors and of updates. */
interface UpdateCases extends TckCases {
    @Test
    default void newActorIsEmpty() {
        assertThat(bench().create().usage().rows()).isZero();
    }

    @Test
    default void newActorAnswersEveryProbe() {
        assertThat(bench().retrieveAll(bench().create()))
                .hasSameSizeAs(bench().fixture().probes());
    }

    @Test
    default void actorsAreIndependent() {
        Actor left = bench().withRows(0, 10);
        Actor right = bench().create();
        assertThat(left.usage().rows()).isEqualTo(10);
        assertThat(right.usage().rows()).isZero();
    }

    @Test
    default void sixteenActorsLiveSideBySide() {
        List<Actor> actors = new ArrayList<>();
        for (int i = 0; i < 16; i++) {
            actors.add(bench().withRows(0, i + 1));
        }
        for (int i = 0; i < 16; i++) {
            assertThat(actors.get(i).usage().rows()).isEqualTo(i + 1);
        }
    }

    @Test
    default void rowsAreVisibleOncePublished() {
        Actor actor = bench().create();
        List<Bytes> before = bench().retrieveAll(actor);
        bench().upsert(actor, bench().rows(0, 25));
        assertThat(actor.usage().rows()).isEqualTo(25);
        assertThat(bench().retrieveAll(actor)).isNotEqualTo(before);
    }

    @Test
    default void aSecondRowOfTheSameKeyReplaces() {
        Actor actor = bench().withRows(0, 10);
        byte[] before = actor.digest();
        bench().upsert(actor, List.of(bench().fixture().changedRow(3)));
        assertThat(actor.usage().rows()).isEqualTo(10);
        assertThat(actor.digest()).isNotEqualTo(before);
    }

    @Test
    default void theLastRowOfTheSameKeyInABatchWins() {
        Actor one = bench().create();
        bench().upsert(one, List.of(bench().fixture().row(1), bench().fixture().changedRow(1)));
        Actor two = bench().create();
        bench().upsert(two, List.of(bench().fixture().changedRow(1)));
        assertThat(one.digest()).isEqualTo(two.digest());
    }

    @Test
    default void applyingTheSameBatchAgainChangesNothing() {
        Actor actor = bench().withRows(0, 10);
        byte[] before = actor.digest();
        bench().upsert(actor, bench().rows(0, 10));
        assertThat(actor.digest()).isEqualTo(before);
    }

    @Test
    default void anEmptyBatchChangesNothing() {
        Actor actor = bench().withRows(0, 3);
        byte[] before = actor.digest();
        bench().upsert(actor, List.of());
        assertThat(actor.digest()).isEqualTo(before);
    }

    @Test
    default void publishingTwiceChangesNothing() {
        Actor actor = bench().withRows(0, 3);
        List<Bytes> before = bench().retrieveAll(actor);
        actor.publish();
        actor.publish();
        assertThat(bench().retrieveAll(actor)).isEqualTo(before);
    }

    @Test
    default void manyUpdatesBetweenTwoPublishesAreAsIfEachWerePublished() {
        Actor seldom = bench().create();
        Actor often = bench().create();
        for (int i = 0; i < 40; i++) {
            List<Document> rows = List.of(
                    bench().fixture().row(i),
                    bench().fixture().row(i / 2),
                    bench().fixture().changedRow(i / 4));
            bench().apply(seldom, rows);
            bench().upsert(often, rows);
        }
        seldom.publish();
        assertThat(seldom.digest()).isEqualTo(often.digest());
        assertThat(seldom.usage().rows()).isEqualTo(40);
    }

    @Test
    default void aBatchOfFiveThousandRows() {
        assertThat(bench().withRows(0, 5_000).usage().rows()).isEqualTo(5_000);
    }

    @Test
    default void unicodeSurvives() {
        Actor one = bench().create();
        bench().upsert(one, List.of(bench().fixture().unicodeRow()));
        Actor two = bench().restore(bench().write(one));
        assertThat(two.digest()).isEqualTo(one.digest());
        assertThat(bench().retrieveAll(two)).isEqualTo(bench().retrieveAll(one));
    }

    @Test
    default void invalidRowsAreRefused() {
        Actor actor = bench().withRows(0, 3);
        for (Document row : bench().fixture().invalidRows()) {
            assertThatThrownBy(() ->
                            bench().validate(actor, List.of(bench().fixture().row(7), row)))
                    .as("%s", row)
                    .isInstanceOfSatisfying(
                            UniserveException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ROW));
        }
    }

    @Test
    default void validatingChangesNothing() {
        Actor actor = bench().withRows(0, 3);
        byte[] before = actor.digest();
        bench().validate(actor, bench().rows(3, 9));
        actor.publish();
        assertThat(actor.digest()).isEqualTo(before);
        assertThat(actor.usage().rows()).isEqualTo(3);
    }

    @Test
    default void usageIsNeverNegative() {
        Actor actor = bench().withRows(0, 100);
        assertThat(actor.usage().memoryBytes()).isNotNegative();
        assertThat(actor.usage().diskBytes()).isNotNegative();
    }
}
