package io.uniserve.testkit.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.api.Document;
import io.uniserve.api.plan.Planner;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.testkit.tck.TckTable.Arrival;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** Cases of the planner of the port's own language, on tables with all actors in this process. */
interface PlannerCases extends TckCases {
    /** First error code that blames Uniserve or the port. */
    int INTERNAL_RANGE = 4_000;

    /** A new planner, as each server has its own. */
    default Planner planner() {
        Optional<Planner> planner = bench().engine().planner();
        Assumptions.assumeTrue(planner.isPresent(), "the port has no planner");
        return planner.orElseThrow();
    }

    /** Queries of the fixture, at least one. */
    default List<String> queries() {
        planner();
        List<String> queries = bench().fixture().queries();
        assertThat(queries)
                .as("queries() of the fixture of a port with a planner")
                .isNotEmpty();
        return queries;
    }

    /** Rows that differ only in their keys. These keys sort differently by code points and by UTF-16. */
    default List<Document> tiedRows() {
        List<Document> rows = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            for (String high : List.of("\uff5e", "\ud83d\ude00")) {
                bench().fixture().tiedRow(high + i).ifPresent(rows::add);
            }
        }
        Assumptions.assumeFalse(rows.isEmpty(), "the fixture has no tied rows");
        return rows;
    }

    private void checkAnswersOfOneActor(List<Document> rows) {
        List<String> queries = queries();
        TckTable one = new TckTable(bench(), 1, rows);
        TckTable spread = new TckTable(bench(), 4, rows);
        Planner alone = planner();
        Planner together = planner();
        for (String query : queries) {
            String expected = one.answer(alone, query, Arrival.EACH);
            for (Arrival arrival : Arrival.values()) {
                assertThat(spread.answer(together, query, arrival))
                        .as("%s, values %s", query, arrival)
                        .isEqualTo(expected);
            }
        }
    }

    @Test
    default void plannersAnswerAsOneActorWithAllRows() {
        checkAnswersOfOneActor(bench().rows(0, 60));
    }

    @Test
    default void plannersBreakTiesAndOrderTextsAsOneActorDoes() {
        checkAnswersOfOneActor(tiedRows());
    }

    @Test
    default void plannersAnswerOfNoRows() {
        checkAnswersOfOneActor(List.of());
    }

    @Test
    default void plannersAnswerTheSameAgain() {
        TckTable table = new TckTable(bench(), 4, bench().rows(0, 30));
        Planner planner = planner();
        for (String query : queries()) {
            String first = table.answer(planner, query, Arrival.EACH);
            assertThat(table.answer(planner, query, Arrival.EACH)).as(query).isEqualTo(first);
        }
    }

    /** A server compares the number with the limit of the user. */
    @Test
    default void answersCountTheirRows() {
        TckTable table = new TckTable(bench(), 4, bench().rows(0, 30));
        Planner planner = planner();
        long most = 0;
        for (String query : queries()) {
            table.answer(planner, query, Arrival.EACH);
            assertThat(table.answerRows()).as(query).isNotNegative();
            most = Math.max(most, table.answerRows());
        }
        assertThat(most).as("rows of some query over thirty rows").isPositive();
    }

    @Test
    default void aWholeQueryIsAnsweredAsThePlannerAnswersIt() {
        Optional<String> whole = bench().engine().info().wholeQueryOperator();
        Assumptions.assumeTrue(whole.isPresent(), "the port answers no whole queries");
        TckTable one = new TckTable(bench(), 1, bench().rows(0, 30));
        Planner planner = planner();
        for (String query : queries()) {
            assertThat(one.answerWhole(whole.orElseThrow(), query))
                    .as(query)
                    .isEqualTo(one.answer(planner, query, Arrival.EACH));
        }
    }

    @Test
    default void plannersRefuseWhatIsNoQuery() {
        TckTable table = new TckTable(bench(), 4, bench().rows(0, 5));
        Planner planner = planner();
        List<String> texts = new ArrayList<>(List.of("", " ", "?", "no such query", "\u0000", "(((((((("));
        for (String query : queries()) {
            texts.add(query.substring(0, query.length() / 2));
            texts.add(query + " \"");
            texts.add("\ud83d\ude00" + query);
        }
        for (String text : texts) {
            try {
                assertThat(table.answer(planner, text, Arrival.EACH)).isNotNull();
            } catch (UniserveException e) {
                assertThat(e.code().number())
                        .as("a query that is wrong is the user's fault: \"%s\" got %s", text, e)
                        .isLessThan(INTERNAL_RANGE);
            }
        }
    }

    @Test
    default void plannersEndWithTheirQuery() {
        TckTable table = new TckTable(bench(), 4, bench().rows(0, 5)).expireDeadline();
        Planner planner = planner();
        for (String query : queries()) {
            assertThatThrownBy(() -> table.answer(planner, query, Arrival.EACH))
                    .as(query)
                    .isInstanceOfSatisfying(
                            UniserveException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.DEADLINE_EXCEEDED));
        }
    }
}
