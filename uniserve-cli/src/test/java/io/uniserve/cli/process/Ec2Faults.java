package io.uniserve.cli.process;

import io.uniserve.testsupport.TestingEc2Server;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Script of EC2's faults. Each action has a round of faults in an order by the seed, which starts anew after its end. The first launch in the
 * second subnet has no answer, and then the first subnet has capacity again; its repetitions have no other fault, so they come before EC2 lists
 * the instance. The service calls it under its lock.
 */
final class Ec2Faults implements Function<Map<String, String>, @Nullable String> {
    static final String FIRST_SUBNET = "subnet-a1";
    static final String SECOND_SUBNET = "subnet-b2";
    static final String THROTTLED = "RequestLimitExceeded";

    private static final String NONE = "";
    private static final Map<String, List<String>> ROUNDS = Map.of(
            "RunInstances", List.of(TestingEc2Server.LOST, THROTTLED, NONE, NONE),
            "StartInstances", List.of(TestingEc2Server.LOST, THROTTLED),
            "TerminateInstances", List.of(TestingEc2Server.LOST, THROTTLED),
            "DescribeInstances",
                    List.of(TestingEc2Server.LOST, THROTTLED, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE));

    private final TestingEc2Server ec2;
    private final Random random;
    private final Map<String, Deque<String>> rounds = new TreeMap<>();
    private final Map<String, Integer> counts = new TreeMap<>();
    private boolean firstIsFull = true;
    private String lostToken = "none";

    Ec2Faults(TestingEc2Server ec2, long seed) {
        this.ec2 = ec2;
        this.random = new Random(seed);
        ec2.setFull(FIRST_SUBNET, true);
    }

    @Override
    public @Nullable String apply(Map<String, String> request) {
        String action = request.getOrDefault("Action", "");
        String fault = request.containsValue(lostToken) ? NONE : next(action, request);
        counts.merge(action + " " + fault, 1, Integer::sum);
        return fault.equals(NONE) ? null : fault;
    }

    private String next(String action, Map<String, String> request) {
        String subnet = request.getOrDefault("SubnetId", "");
        if (firstIsFull && subnet.equals(FIRST_SUBNET)) {
            return NONE; // it answers that it is full
        }
        if (firstIsFull && subnet.equals(SECOND_SUBNET)) {
            firstIsFull = false;
            lostToken = request.getOrDefault("TagSpecification.1.Tag.3.Value", "");
            ec2.setFull(FIRST_SUBNET, false);
            return TestingEc2Server.LOST;
        }
        Deque<String> round = rounds.computeIfAbsent(action, unused -> new ArrayDeque<>());
        if (round.isEmpty()) {
            List<String> faults = new ArrayList<>(ROUNDS.getOrDefault(action, List.of(NONE)));
            Collections.shuffle(faults, random);
            round.addAll(faults);
        }
        return round.remove();
    }

    /** Number of faults of this kind so far. */
    int count(String action, String fault) {
        synchronized (ec2) {
            return counts.getOrDefault(action + " " + fault, 0);
        }
    }
}
