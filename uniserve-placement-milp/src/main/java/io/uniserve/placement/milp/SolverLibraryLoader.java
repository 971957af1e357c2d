package io.uniserve.placement.milp;

import com.google.ortools.Loader;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;

/** Loader of the solver's native library, which is unpacked from the class path into a temporary directory once per process. */
final class SolverLibraryLoader {
    private SolverLibraryLoader() {}

    static synchronized void load() {
        try {
            Loader.loadNativeLibraries();
        } catch (RuntimeException | LinkageError e) {
            throw missing(System.getProperty("os.name"), System.getProperty("os.arch"), e);
        }
    }

    static UniserveException missing(String system, String architecture, Throwable cause) {
        return new UniserveException(
                ErrorCode.UNSUPPORTED,
                "policy 'milp' has no native library for " + system + " on " + architecture
                        + ": put the jar com.google.ortools:ortools-PLATFORM of the version of ortools-java into the"
                        + " distribution's solver/lib, or use policy 'parallelism'",
                cause);
    }
}
