package io.uniserve.cli.place;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.placement.model.Assignment;
import io.uniserve.placement.text.AssignmentText;
import io.uniserve.placement.text.InstanceReader;
import io.uniserve.placement.text.PlacementInstance;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Files of placement problems and placements. */
final class PlacementFileReader {
    private PlacementFileReader() {}

    static PlacementInstance instance(Path file) {
        try (BufferedReader in = Files.newBufferedReader(file)) {
            return InstanceReader.read(in, file.toString());
        } catch (IOException e) {
            throw unreadable(file, e);
        }
    }

    static List<Assignment> assignments(Path file, PlacementInstance instance) {
        try (BufferedReader in = Files.newBufferedReader(file)) {
            return AssignmentText.read(in, file.toString(), instance.actors(), instance.servers());
        } catch (IOException e) {
            throw unreadable(file, e);
        }
    }

    private static UniserveException unreadable(Path file, IOException e) {
        return new UniserveException(ErrorCode.INVALID_ARGUMENT, "cannot read " + file + ": " + e, e);
    }
}
