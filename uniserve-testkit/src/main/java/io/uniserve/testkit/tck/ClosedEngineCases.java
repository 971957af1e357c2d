package io.uniserve.testkit.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.api.Actor;
import io.uniserve.api.Document;
import io.uniserve.api.EngineSwitch;
import io.uniserve.api.plan.Planner;
import io.uniserve.codec.Bytes;
import io.uniserve.error.PrintableText;
import io.uniserve.error.UniserveException;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.testkit.tck.HostileInput.Attempt;
import io.uniserve.testkit.tck.TckTable.Arrival;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** Cases of closed engines: no query, parameter, option or row reaches files, addresses, extensions or code. */
interface ClosedEngineCases extends TckCases {
    /** First error code that blames Uniserve or the port. */
    int SERVER_RANGE = 4_000;

    /** A word of the remedy in an error, or the place of the syntax error. */
    String REMEDY =
            "(?is).*(\\b(use|give|send|remove|leave|store|set|write|create|lists|needs?|must)\\b|line \\[?\\d+]?, column).*";

    @Test
    default void switchesAreNamedOnce() {
        List<EngineSwitch> switches = bench().engine().switches();
        assertThat(switches.stream().map(EngineSwitch::name)).doesNotHaveDuplicates();
        assertThat(bench().fixture().engine().switches()).isEqualTo(switches);
    }

    @Test
    default void switchesHaveTheirValuesInTheRunningEngine() {
        List<EngineSwitch> switches = bench().engine().switches();
        Assumptions.assumeFalse(switches.isEmpty(), "the engine has no switches");
        Actor actor = bench().withRows(0, 3);
        for (EngineSwitch one : switches) {
            assertThat(bench().fixture().switchValue(bench().instance(), actor, one.name()))
                    .as("%s of the running engine", one.name())
                    .contains(one.value());
        }
    }

    @Test
    default void hostileInputsAreRefusedAndReachNothing() {
        try (HostileTargets targets = new HostileTargets(bench().newDirectory())) {
            List<HostileInput> inputs = bench().fixture().hostileInputs(targets);
            Assumptions.assumeFalse(inputs.isEmpty(), "the fixture has no hostile inputs");
            targets.reached();
            TckTable table = new TckTable(bench(), 2, bench().rows(0, 10));
            List<String> faults = new ArrayList<>();
            for (HostileInput input : inputs) {
                faults.addAll(faults(table, input, targets));
            }
            assertThat(String.join("\n", faults)).isEmpty();
        }
    }

    /** A text is a text: no engine takes a path, an address, an entity or an expression in a row for more. */
    @Test
    default void hostileTextsInRowsAreOnlyTexts() {
        try (HostileTargets targets = new HostileTargets(bench().newDirectory())) {
            Document row = bench().fixture().unicodeRow();
            List<String> faults = new ArrayList<>();
            for (String text : texts(targets)) {
                for (String field : row.fields().keySet()) {
                    Map<String, @Nullable Object> fields = new LinkedHashMap<>(row.fields());
                    if (fields.get(field) instanceof String) {
                        fields.put(field, text);
                        faults.addAll(
                                faults(new HostileInput(field + "=" + text, update(row, fields), List.of()), targets));
                    }
                }
                Map<String, @Nullable Object> more = new LinkedHashMap<>(row.fields());
                more.put(text, "value");
                faults.addAll(faults(new HostileInput("field " + text, update(row, more), List.of()), targets));
            }
            assertThat(String.join("\n", faults)).isEmpty();
        }
    }

    private Attempt update(Document row, Map<String, @Nullable Object> fields) {
        return new HostileInput.Update(bench().fixture().upsert(), new Document(row.keyField(), fields));
    }

    private static List<String> texts(HostileTargets targets) {
        String file = targets.canary().toString();
        return List.of(
                file,
                HostileTargets.traversal(targets.canary()),
                "file://" + file,
                targets.url() + "x",
                "${jndi:ldap://" + targets.url().substring("http://".length()) + "x}",
                "${java.home}",
                "$where",
                "$" + "{file:UTF-8:" + file + "}",
                "'); COPY (SELECT 1) TO '" + targets.target() + "'; --",
                "<!DOCTYPE a [<!ENTITY e SYSTEM \"file://" + file + "\">]><a>&e;</a>",
                "__proto__",
                HostileCode.class.getName());
    }

    private List<String> faults(HostileInput input, HostileTargets targets) {
        return faults(null, input, targets);
    }

    /** What is wrong with an input's end. */
    private List<String> faults(@Nullable TckTable table, HostileInput input, HostileTargets targets) {
        List<String> faults = new ArrayList<>();
        List<Outcome> outcomes = outcomes(table, input.attempt());
        for (String reached : targets.reached()) {
            faults.add(input.name() + ": " + reached);
        }
        for (Outcome outcome : outcomes) {
            if (HostileTargets.hasSecret(outcome.text)) {
                faults.add(input.name() + ": a file was read: " + PrintableText.line(outcome.text));
            }
            if (outcome.error.isEmpty() && !input.named().isEmpty()) {
                faults.add(input.name() + ": was accepted: " + PrintableText.line(outcome.text));
            }
            outcome.error.ifPresent(error -> {
                if (error.code().number() >= SERVER_RANGE) {
                    faults.add(input.name() + ": is the user's fault, but got " + error);
                }
                for (String named : input.named()) {
                    if (!error.reason().contains(named)) {
                        faults.add(input.name() + ": the error does not name \"" + named + "\": " + error);
                    }
                }
                if (!input.named().isEmpty() && !error.reason().matches(REMEDY)) {
                    faults.add(input.name() + ": the error has no remedy: " + error);
                }
            });
        }
        return faults;
    }

    /**
     * End of an input.
     *
     * @param text the answer, or all messages of the error
     */
    record Outcome(String text, Optional<UniserveException> error) {}

    private List<Outcome> outcomes(@Nullable TckTable table, Attempt attempt) {
        if (attempt instanceof HostileInput.Query query && table != null) {
            List<Outcome> outcomes = new ArrayList<>();
            Optional<Planner> planner = bench().engine().planner();
            planner.ifPresent(by -> outcomes.add(outcome(() -> table.answer(by, query.text(), Arrival.EACH))));
            bench().engine()
                    .info()
                    .wholeQueryOperator()
                    .ifPresent(whole -> outcomes.add(outcome(() -> table.answerWhole(whole, query.text()))));
            return outcomes;
        }
        if (attempt instanceof HostileInput.Call call) {
            return atActor(actor -> bench().retrieveAsSent(actor, call.query()));
        }
        if (attempt instanceof HostileInput.Sent sent) {
            return atActor(actor -> bench().retrieveEncoded(actor, sent.operator(), sent.parameters()));
        }
        if (attempt instanceof HostileInput.Options options) {
            return List.of(outcome(() -> {
                TableMeta meta = bench().withOptions(options.options());
                bench().engine().validate(meta);
                return answers(bench().create(meta), bench().rows(0, 3));
            }));
        }
        HostileInput.Update update = (HostileInput.Update) attempt;
        return List.of(outcome(() -> {
            Actor actor = bench().withRows(0, 2);
            bench().upsert(actor, update.function(), List.of(update.row()));
            return answers(actor, List.of());
        }));
    }

    private List<Outcome> atActor(Function<Actor, Bytes> call) {
        Actor actor = bench().withRows(0, 5);
        List<Outcome> outcomes = List.of(outcome(() -> text(call.apply(actor))));
        actor.destroy();
        return outcomes;
    }

    private String answers(Actor actor, List<Document> rows) {
        bench().upsert(actor, rows);
        StringBuilder answers = new StringBuilder();
        bench().retrieveAll(actor).forEach(answer -> answers.append(text(answer)));
        actor.destroy();
        return answers.toString();
    }

    private static String text(Bytes answer) {
        return new String(answer.toArray(), java.nio.charset.StandardCharsets.ISO_8859_1);
    }

    /** Work of an input, with its answer. */
    @FunctionalInterface
    interface Work {
        String run();
    }

    private static Outcome outcome(Work work) {
        try {
            return new Outcome(work.run(), Optional.empty());
        } catch (UniserveException e) {
            StringBuilder messages = new StringBuilder();
            for (@Nullable Throwable cause = e; cause != null; cause = cause.getCause()) {
                messages.append(cause.getMessage()).append('\n');
            }
            return new Outcome(messages.toString(), Optional.of(e));
        }
    }
}
