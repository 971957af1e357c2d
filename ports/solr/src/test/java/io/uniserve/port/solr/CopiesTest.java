package io.uniserve.port.solr;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.api.Document;
import io.uniserve.api.EngineInstance;
import io.uniserve.api.operator.Combiner;
import io.uniserve.api.operator.PerActorParameters;
import io.uniserve.api.operator.RetrieveCall;
import io.uniserve.api.plan.PlanContext;
import io.uniserve.api.plan.QueryText;
import io.uniserve.api.update.UpdateContext;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.TableMeta;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Replicas of one table that merged segments at different times: their scores, and cursors over them. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class CopiesTest {
    private static final String EXACT = "&distrib.statsCache=true";
    private static final String BY_SCORE = "q=text:(wind sail)&rows=4&fl=id&sort=score desc,id asc";
    private static final int ACTORS = 3;
    private static final String[] WORDS = {"wind", "sail", "rope", "mast", "deck", "keel", "tide"};
    private static final Pattern ID = Pattern.compile("\"id\":\"([^\"]*)\"");
    private static final Pattern NEXT = Pattern.compile("\"nextCursorMark\":\"([^\"]*)\"");

    private final SolrEngine engine = new SolrEngine();
    private final Random random = new Random(5);
    private EngineInstance instance;
    private Path directory;
    /** Two replicas of one table, and the same rows in a table without replaced documents. */
    private LocalTable first;

    private LocalTable second;
    private LocalTable fresh;

    @BeforeAll
    void load(@TempDir Path root) {
        directory = root;
        instance = LocalTable.open(engine, root);
        first = table(ACTORS);
        second = table(ACTORS);
        fresh = table(ACTORS);
        replace(first, second, fresh);
    }

    @AfterAll
    void close() {
        instance.close();
    }

    private LocalTable table(int actors) {
        return new LocalTable(engine, instance, directory, actors);
    }

    /** Sends the same rows to both in the same order. One publishes often and keeps its segments, the other merges them. */
    private static void replace(LocalTable often, LocalTable merged, LocalTable plain) {
        Random random = new Random(11);
        Map<String, Document> living = new TreeMap<>();
        for (int round = 0; round < 8; round++) {
            List<Document> batch = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                Document row = row("d" + random.nextInt(90), random, round);
                living.put(String.valueOf(row.fields().get("id")), row);
                batch.add(row);
            }
            batch.forEach(row -> often.add(List.of(row)));
            merged.add(batch);
        }
        for (int actor = 0; actor < merged.meta().partitioner().actors(); actor++) {
            Document row = new Document("id", Map.of("id", ""));
            SolrUpdateFunctions.OPTIMIZE.update(merged.actor(actor), new UpdateContext(1_000), List.of(row));
            merged.actor(actor).publish();
        }
        plain.add(List.copyOf(living.values()));
    }

    private static Document row(String id, Random random, int round) {
        StringBuilder text = new StringBuilder(round == 0 ? "anchor" : WORDS[random.nextInt(2)]);
        int count = random.nextInt(9) == 0 ? 70 : random.nextInt(7);
        for (int i = 0; i < count; i++) {
            text.append(' ').append(WORDS[random.nextInt(WORDS.length)]);
        }
        return new Document(
                "id", Map.of("id", id, "text", text.toString(), "kind_s", WORDS[random.nextInt(3)], "n_i", (long)
                        random.nextInt(50)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "q=text:wind",
                "q=text:(wind sail^2.7 rope deck^0.3)",
                "q=text:(+wind +rope keel mast)",
                "q=text:\"wind sail\"~3",
                "q=text:(wind sail rope)&q.op=OR&mm=2&defType=edismax&qf=text kind_s^3 title",
                "q=wind keel&defType=dismax&qf=text kind_s&tie=0.3&mm=1",
                "q=text:anchor kind_s:sail text:tide",
                "q={!boost b=sum(n_i,1)}text:(sail tide)",
                "q={!surround df=text}3w(wind, or(rope,anchor))",
                "q=text:wind&fq=n_i:[10 TO 40]&sort=score desc,n_i asc&facet=true&facet.field=kind_s",
            })
    void exactStatisticsCountTheLivingOnEveryCopy(String query) {
        String exact = query + "&fl=id,score&rows=100" + EXACT;
        String expected = fresh.query(exact);
        assertThat(ID.matcher(expected).results().count()).isPositive();
        assertThat(first.query(exact)).isEqualTo(expected);
        assertThat(second.query(exact)).isEqualTo(expected);
        assertThat(new Mixed(first, second).query(exact)).isEqualTo(expected);
    }

    @Test
    void withoutThemTheCopiesDiffer() {
        String query = "q=text:wind&fl=id,score&rows=100";
        assertThat(first.query(query)).isNotEqualTo(second.query(query));
    }

    @Test
    void aWholeQueryOfOneActorCountsTheLivingToo() {
        LocalTable often = table(1);
        LocalTable merged = table(1);
        LocalTable plain = table(1);
        replace(often, merged, plain);
        for (String exact : List.of("", EXACT)) {
            String query = "q=text:(wind sail) kind_s:rope&fl=id,score&rows=100" + exact;
            String expected = plain.query(0, query);
            assertThat(merged.query(0, query)).isEqualTo(expected);
            assertThat(often.query(0, query).equals(expected)).isEqualTo(!exact.isEmpty());
        }
        String mark = next(often.query(0, BY_SCORE + "&cursorMark=*"));
        String more = BY_SCORE + "&cursorMark=" + URLEncoder.encode(mark, StandardCharsets.UTF_8);
        assertThat(often.query(0, more)).contains("nextCursorMark");
        gone(() -> merged.query(0, more));
        String exactMark = next(often.query(0, BY_SCORE + EXACT + "&cursorMark=*"));
        String exactMore = BY_SCORE + EXACT + "&cursorMark=" + URLEncoder.encode(exactMark, StandardCharsets.UTF_8);
        assertThat(merged.query(0, exactMore)).isEqualTo(often.query(0, exactMore));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                BY_SCORE,
                BY_SCORE + EXACT,
                "q=text:(wind sail)&rows=5&fl=id",
                "q=text:(wind sail)&rows=4&fl=id&sort=n_i asc,score desc",
                "q=text:(wind sail)&rows=4&fl=id&sort=n_i desc,id asc",
                "q=text:wimd~1 text:sail&rows=7&fl=id,n_i&facet=true&facet.field=kind_s",
            })
    void aCursorFindsEachDocumentOnceWhicheverCopiesAreAskedFirst(String query) {
        String all = fresh.query(query.replaceFirst("rows=\\d+", "rows=1000"));
        List<String> expected = ids(all).stream().sorted().toList();
        for (int i = 0; i < 3; i++) {
            List<String> found = new ArrayList<>(walk(new Mixed(first, second), query));
            Collections.sort(found);
            assertThat(found).isEqualTo(expected);
        }
    }

    @Test
    void aCursorGoesOnElsewhereOnlyWhereTheAnswerIsTheSame() {
        gone(() -> page(second, BY_SCORE, next(page(first, BY_SCORE, "*"))));
        for (String same : List.of(BY_SCORE + EXACT, "q=text:wind&rows=4&fl=id&sort=n_i asc")) {
            String mark = next(page(first, same, "*"));
            assertThat(page(second, same, mark)).isEqualTo(page(first, same, mark));
        }
    }

    @Test
    void aCursorByScoreEndsWithAnUpdateAndOneByFieldsGoesOn() {
        LocalTable changing = table(2);
        Random rows = new Random(3);
        for (int i = 0; i < 30; i++) {
            changing.add(List.of(row("d" + i, rows, 1)));
        }
        String byField = "q=text:(wind sail)&rows=4&fl=id&sort=n_i asc";
        String score = next(page(changing, BY_SCORE, "*"));
        String exact = next(page(changing, BY_SCORE + EXACT, "*"));
        String field = next(page(changing, byField, "*"));
        changing.add(List.of(row("d30", rows, 1)));
        gone(() -> page(changing, BY_SCORE, score));
        gone(() -> page(changing, BY_SCORE + EXACT, exact));
        assertThat(ids(page(changing, byField, field))).hasSize(4);
    }

    @Test
    void aMarkThatNamesNoCopiesIsRefused() {
        String mark = next(page(first, BY_SCORE, "*"));
        for (String wrong : List.of(mark.substring(0, mark.indexOf('.')), mark + "AAAA", mark + "!")) {
            assertThatThrownBy(() -> page(first, BY_SCORE, wrong))
                    .isInstanceOfSatisfying(
                            UniserveException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT))
                    .hasMessageContaining("cursorMark");
        }
    }

    private static void gone(ThrowingCallable asked) {
        assertThatThrownBy(asked)
                .isInstanceOfSatisfying(
                        UniserveException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CURSOR_GONE))
                .hasMessageContaining("Start again with cursorMark=*");
    }

    private static String page(LocalTable table, String query, String mark) {
        return table.query(query + "&cursorMark=" + URLEncoder.encode(mark, StandardCharsets.UTF_8));
    }

    private static List<String> walk(Mixed copies, String query) {
        List<String> found = new ArrayList<>();
        String mark = "";
        for (String next = "*"; !next.equals(mark); ) {
            mark = next;
            String answer = copies.query(query + "&cursorMark=" + URLEncoder.encode(mark, StandardCharsets.UTF_8));
            found.addAll(ids(answer));
            next = next(answer);
        }
        return found;
    }

    private static List<String> ids(String answer) {
        return ID.matcher(answer).results().map(found -> found.group(1)).toList();
    }

    private static String next(String answer) {
        Matcher found = NEXT.matcher(answer);
        assertThat(found.find()).as(answer).isTrue();
        return found.group(1);
    }

    /** Context that calls a random replica per query and actor, and the other one if that refuses, like the host. */
    private final class Mixed implements PlanContext {
        private final List<LocalTable> copies;
        private final Map<Integer, LocalTable> pins = new HashMap<>();

        private Mixed(LocalTable... copies) {
            this.copies = List.of(copies);
        }

        private String query(String text) {
            pins.clear();
            return engine.planner()
                    .orElseThrow()
                    .answer(new QueryText(first.meta().name(), text), this)
                    .body()
                    .utf8();
        }

        @Override
        public <P, V> Map<Integer, V> retrieveEach(
                TableName table, RetrieveCall<PerActorParameters<P>, V> call, Map<Integer, P> parameters) {
            Map<Integer, V> values = new TreeMap<>();
            parameters.forEach((actor, one) -> values.put(actor, ask(table, call, actor, one)));
            return values;
        }

        private <P, V> V ask(TableName table, RetrieveCall<PerActorParameters<P>, V> call, int actor, P one) {
            List<LocalTable> open = new ArrayList<>(
                    pins.containsKey(actor) ? List.of(Objects.requireNonNull(pins.get(actor))) : copies);
            Collections.shuffle(open, random);
            for (int i = 0; i < open.size() - 1; i++) {
                try {
                    return ask(open.get(i), table, call, actor, one);
                } catch (UniserveException e) {
                    assertThat(e.code()).isEqualTo(ErrorCode.CURSOR_GONE);
                }
            }
            return ask(open.get(open.size() - 1), table, call, actor, one);
        }

        private <P, V> V ask(
                LocalTable copy, TableName table, RetrieveCall<PerActorParameters<P>, V> call, int actor, P one) {
            V value = Objects.requireNonNull(
                    copy.retrieveEach(table, call, Map.of(actor, one)).get(actor));
            pins.put(actor, copy);
            return value;
        }

        @Override
        public TableMeta table(TableName name) {
            return first.meta();
        }

        @Override
        public void useRepeatableReads() {
            // No updates run during a query here.
        }

        @Override
        public <P, V, R> R retrieve(TableName table, RetrieveCall<P, V> call, P parameters, Combiner<V, R> combiner) {
            throw new UnsupportedOperationException("the planner asks each actor by itself");
        }

        @Override
        public <P, V, R> R retrieve(
                TableName table, Set<Integer> on, RetrieveCall<P, V> call, P parameters, Combiner<V, R> combiner) {
            throw new UnsupportedOperationException("the planner asks each actor by itself");
        }

        @Override
        public long nanoTime() {
            return 0;
        }

        @Override
        public long remainingNanos() {
            return Long.MAX_VALUE;
        }
    }
}
