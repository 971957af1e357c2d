package io.uniserve.port.mongodb;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.bson.BsonDocument;
import org.bson.BsonNull;
import org.bson.BsonValue;

/**
 * Comparison of two answers. Numbers are equal by value, and doubles within a billionth: which of 1 and 1.0 stands for a group, and the order
 * of additions, depend on the order of documents. Lists named {@code set} and {@code values} have no order.
 */
final class AnswerComparison {
    private static final double TOLERANCE = 1e-9;

    private AnswerComparison() {}

    static boolean areEqual(BsonValue left, BsonValue right) {
        if (left.isNumber() && right.isNumber()) {
            return areEqualNumbers(left, right);
        }
        if (left.isDecimal128() || right.isDecimal128()) {
            return decimal(left).equals(decimal(right));
        }
        if (left.isDocument() && right.isDocument()) {
            return areEqualDocuments(left.asDocument(), right.asDocument());
        }
        if (left.isArray() && right.isArray()) {
            return areEqualLists(left.asArray().getValues(), right.asArray().getValues());
        }
        return left.equals(right);
    }

    private static String decimal(BsonValue value) {
        return value.isDecimal128() ? value.asDecimal128().getValue().toString() : value.toString();
    }

    private static boolean areEqualNumbers(BsonValue left, BsonValue right) {
        if (!left.isDouble() && !right.isDouble()) {
            return left.asNumber().longValue() == right.asNumber().longValue();
        }
        double a = left.asNumber().doubleValue();
        double b = right.asNumber().doubleValue();
        return Double.compare(a, b) == 0 || a == b || Math.abs(a - b) <= TOLERANCE * Math.max(Math.abs(a), Math.abs(b));
    }

    private static boolean areEqualDocuments(BsonDocument left, BsonDocument right) {
        if (!List.copyOf(left.keySet()).equals(List.copyOf(right.keySet()))) {
            return false;
        }
        for (Map.Entry<String, BsonValue> field : left.entrySet()) {
            BsonValue other = right.getOrDefault(field.getKey(), BsonNull.VALUE);
            boolean set = field.getKey().equals("set") || field.getKey().equals("values");
            boolean unordered = set || field.getKey().equals("bag");
            boolean equal = unordered && field.getValue().isArray() && other.isArray()
                    ? areEqualLists(sorted(field.getValue(), set), sorted(other, set))
                    : areEqual(field.getValue(), other);
            if (!equal) {
                return false;
            }
        }
        return true;
    }

    private static List<BsonValue> sorted(BsonValue list, boolean distinct) {
        TreeMap<String, List<BsonValue>> sorted = new TreeMap<>();
        for (BsonValue element : list.asArray()) {
            String key = element.isNumber() ? "number " + (element.asNumber().doubleValue() + 0.0) : element.toString();
            List<BsonValue> equal = sorted.computeIfAbsent(key, none -> new ArrayList<>());
            if (equal.isEmpty() || !distinct) {
                equal.add(element);
            }
        }
        return sorted.values().stream().flatMap(List::stream).toList();
    }

    private static boolean areEqualLists(List<BsonValue> left, List<BsonValue> right) {
        if (left.size() != right.size()) {
            return false;
        }
        for (int i = 0; i < left.size(); i++) {
            if (!areEqual(left.get(i), right.get(i))) {
                return false;
            }
        }
        return true;
    }
}
