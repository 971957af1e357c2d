package io.uniserve.models;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Model with all its constants, and the expected result of TLC.
 *
 * @param name display name
 * @param module the model's file in docs/spec, without its extension
 * @param constants lines of TLC's configuration
 * @param invariants invariants to check
 * @param distinct expected number of states, if no error may be found; 0 if one must be found, or the states are not counted
 * @param broken the invariant that a counterexample must break; empty if none may be broken
 * @param steps states of the shortest counterexample, 0 if there is none
 */
record ModelInstance(
        String name,
        String module,
        List<String> constants,
        List<String> invariants,
        long distinct,
        String broken,
        int steps) {

    /** The rules of reads that the protocol uses. */
    private static final List<String> RULES = List.of(
            "gateVote",
            "resolve",
            "lease",
            "renewMap",
            "isr",
            "applied",
            "round2",
            "base",
            "floor",
            "stop",
            "withhold",
            "order",
            "denied",
            "anew",
            "fresh",
            "oldest");

    @Override
    public String toString() {
        return name;
    }

    /** Epochs, votes and commits, as in the protocol. */
    static ModelInstance updates(int actors, int updates, int epochs, int crashes, long distinct) {
        String name = "updates " + size(actors, updates, epochs) + " crashes " + crashes;
        return new ModelInstance(
                name,
                "Uniserve",
                updateConstants(actors, updates, epochs, crashes, "none"),
                List.of("Durable", "ReadOK", "TypeOK"),
                distinct,
                "",
                0);
    }

    /** The same with a planted error. */
    static ModelInstance plantedUpdates(String bug, String broken, int steps) {
        return new ModelInstance(
                "updates with " + bug,
                "Uniserve",
                updateConstants(1, 2, 4, 1, bug),
                List.of("Durable", "ReadOK", "TypeOK"),
                0,
                broken,
                steps);
    }

    /** Reads by the rules of the protocol and those named. */
    static ModelInstance reads(int actors, int updates, int epochs, long distinct, String... more) {
        List<String> rules = new ArrayList<>(RULES);
        rules.addAll(Arrays.asList(more));
        String name = "reads " + size(actors, updates, epochs) + " " + String.join(" ", more);
        return ofReads(name.strip(), actors, 2, updates, epochs, rules, distinct, "", 0);
    }

    /** Reads without one of the rules, and with those named. */
    static ModelInstance readsWithout(
            String rule, int actors, int updates, int epochs, String broken, int steps, String... more) {
        List<String> rules = rulesWithout(rule);
        rules.addAll(Arrays.asList(more));
        String name = "reads " + size(actors, updates, epochs) + " without " + rule + " " + String.join(" ", more);
        return ofReads(name.strip(), actors, 2, updates, epochs, rules, 0, broken, steps);
    }

    /** Reads without one of the rules, with one server: such an error needs no more servers. */
    static ModelInstance oneServerWithout(String rule, int actors, int updates, String broken, int steps) {
        String name = "reads of one server without " + rule;
        return ofReads(name, actors, 1, updates, 1, rulesWithout(rule), 0, broken, steps);
    }

    /** Reads with a rule of the protocol replaced or relaxed. */
    static ModelInstance otherReads(String name, int epochs, List<String> rules, String broken, int steps) {
        return ofReads(name, 1, 2, 1, epochs, rules, 0, broken, steps);
    }

    /** The rules of the protocol and one more. */
    static List<String> rulesAnd(String more) {
        List<String> rules = new ArrayList<>(RULES);
        rules.add(more);
        return rules;
    }

    /** The rules of the first draft, which gated acknowledgements, but neither votes nor versions in doubt. */
    static List<String> draft() {
        List<String> rules = new ArrayList<>(RULES);
        rules.removeAll(List.of("gateVote", "resolve"));
        rules.add("gateAck");
        return rules;
    }

    private static List<String> rulesWithout(String rule) {
        List<String> rules = new ArrayList<>(RULES);
        if (!rules.remove(rule)) {
            throw new IllegalArgumentException(rule + " is not in force");
        }
        return rules;
    }

    private static ModelInstance ofReads(
            String name,
            int actors,
            int servers,
            int updates,
            int epochs,
            List<String> rules,
            long distinct,
            String broken,
            int steps) {
        return new ModelInstance(
                name,
                "UniserveReads",
                List.of(
                        "Actors = " + set("a", actors),
                        "Servers = " + set("s", servers),
                        "MaxV = " + updates,
                        "MaxEpoch = " + epochs,
                        "Rules = "
                                + rules.stream()
                                        .map(rule -> '"' + rule + '"')
                                        .collect(Collectors.joining(", ", "{", "}"))),
                List.of("I2", "I3", "I4", "I5", "I6"),
                distinct,
                broken,
                steps);
    }

    private static List<String> updateConstants(int actors, int updates, int epochs, int crashes, String bug) {
        return List.of(
                "Actors = " + set("a", actors),
                "Servers = " + set("s", 2),
                "MaxTx = " + updates,
                "MaxEpoch = " + epochs,
                "MaxCrash = " + crashes,
                "BUG = \"" + bug + '"');
    }

    private static String size(int actors, int updates, int epochs) {
        return "actors " + actors + " servers 2 updates " + updates + " epochs " + epochs;
    }

    private static String set(String name, int size) {
        return IntStream.rangeClosed(1, size).mapToObj(n -> name + n).collect(Collectors.joining(", ", "{", "}"));
    }
}
