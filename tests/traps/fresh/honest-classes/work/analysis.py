from replication.study import Study

if __name__ == "__main__":
    Study.from_file("study.json").run()
