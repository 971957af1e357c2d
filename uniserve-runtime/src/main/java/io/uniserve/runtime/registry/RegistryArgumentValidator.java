package io.uniserve.runtime.registry;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.protocol.env.Registry.Op;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** Checks of arguments that all registries share. */
final class RegistryArgumentValidator {
    private static final int OPERATIONS_MAX = 10_000;
    private static final Pattern PATH = Pattern.compile("(/[A-Za-z0-9_.-]+)+");

    private RegistryArgumentValidator() {}

    /** Checks that the path is absolute and has no empty parts. */
    static void checkPath(String path) {
        if (!PATH.matcher(path).matches() || path.contains("/./") || path.contains("/../")) {
            throw UniserveException.invalid(
                    "registry path \"" + path + "\": use parts of A-Z a-z 0-9 _ . - after each /");
        }
    }

    /** Checks paths, versions and sizes of a multi. */
    static void checkOperations(List<Op> ops, List<byte[]> values) {
        if (ops.isEmpty() || ops.size() > OPERATIONS_MAX) {
            throw UniserveException.invalid("a multi has " + ops.size() + " operations: use 1 to " + OPERATIONS_MAX);
        }
        long bytes = 0;
        for (int i = 0; i < ops.size(); i++) {
            Op op = ops.get(i);
            checkPath(op.path());
            if (version(op) < 0) {
                throw UniserveException.invalid("version " + version(op) + " of " + op.path()
                        + ": use the version that was read; an absent node can only be created");
            }
            bytes += values.get(i).length + op.path().length() + 64L;
        }
        if (bytes > ZnodeCodec.BYTES_MAX) {
            throw new UniserveException(
                    ErrorCode.TOO_LARGE,
                    "a multi of " + ops.size() + " operations takes " + bytes + " bytes, at most "
                            + ZnodeCodec.BYTES_MAX + "; split it");
        }
    }

    private static int version(Op op) {
        if (op instanceof Op.Set set) {
            return set.version();
        }
        if (op instanceof Op.Delete delete) {
            return delete.version();
        }
        return op instanceof Op.Check check ? check.version() : 0;
    }

    /** Ancestors of the path below the root, highest first. */
    static List<String> ancestors(String path) {
        List<String> ancestors = new ArrayList<>();
        for (int slash = path.indexOf('/', 1); slash > 0; slash = path.indexOf('/', slash + 1)) {
            ancestors.add(path.substring(0, slash));
        }
        return ancestors;
    }
}
